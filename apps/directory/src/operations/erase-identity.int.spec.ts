import { encodeId, newUuid, type SourceRecord } from '@idsync/contracts';
import { announceRendering, Database, findEventBodies, findFeedPage, savePayloads } from '@idsync/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, sweep, wholeRun } from '../../test/whole-run.js';

let directory: Harness;
let hr: string;
let accounts: string;
let machines: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  accounts = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
  machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
});

afterAll(() => directory?.close());

const erase = async (identity_id: string) => {
  expect(await directory.operate('identity.erase', { identity_id, reason: 'asked to' })).toMatchObject({
    status: 'done',
  });
};

/**
 * Rows of any table of the tenant that hold the word, whatever its case; batches are the sync-worker's, which deletes them. Only a word
 * with an i, l, o or u is in no id by chance.
 */
async function traces(word: string): Promise<Record<string, unknown[]>> {
  const tables = await directory.fixture.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'tenant_id' and table_name <> 'sync_batches' order by 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const rows = await directory.fixture.rows(
      `select t::text as row from ${name} t where tenant_id = $1 and t::text ilike $2`,
      [directory.tenant, `%${word}%`],
    );
    if (rows.length > 0) found[name] = rows;
  }
  return found;
}

describe('who is erased', () => {
  it('leaves nothing in events from before an account was matched', async () => {
    await directory.sync(accounts, [row('wulio-login', { employee_number: 'wulio7', first_name: 'Wulio' })]);
    await directory.sync(accounts, [row('wulio-login', { employee_number: 'wulio7', first_name: 'Wulioette' })]);
    await directory.sync(hr, [row('wulio-1', { employee_number: 'wulio7', last_name: 'Wulioman' })]);
    await erase(await directory.identityOf('wulio-1'));
    expect(await traces('wulio')).toEqual({});
  });

  it('leaves nothing in the identities they were ever part of', async () => {
    await directory.sync(hr, [
      row('keep', { email: 'keep@x.org', first_name: 'Keep' }),
      row('wulio-2', { email: 'wulio@x.org', first_name: 'Wulio' }),
    ]);
    const [keep, old] = [await directory.identityOf('keep'), await directory.identityOf('wulio-2')];
    await directory.operate('identity.merge', { into_id: keep, from_ids: [old] });
    await directory.sync(hr, [
      row('keep', { email: 'keep@x.org', first_name: 'Kept' }),
      row('wulio-2', { email: 'wulio.later@x.org', first_name: 'Wulioette' }),
    ]);
    const record = await directory.record('wulio-2');
    await directory.operate('identity.split', { identity_id: keep, record_ids: [record.id] });
    await erase(await directory.identityOf('wulio-2'));
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('keep@x.org'))).toContain('identities');
  });

  it('leaves nothing of what an identity provider pushed of them', async () => {
    const pushed = newUuid();
    const externalId = encodeId('scimResource', pushed);
    for (const [id, name] of [
      [pushed, 'Wulio'],
      [newUuid(), 'Untouched'],
    ]) {
      await directory.fixture.rows(
        `insert into scim_resources (id, tenant_id, connector_id, kind, name_key, document, position)
         values ($1, $2, $3, 'User', $4, $5, 1)`,
        [id, directory.tenant, hr, name, JSON.stringify({ userName: name })],
      );
    }
    await directory.sync(hr, [row(externalId, { email: 'wulio@x.org', first_name: 'Wulio' })]);
    await erase(await directory.identityOf(externalId));
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('untouched'))).toEqual(['scim_resources']);
  });

  it('is not brought back by taking back a merge', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })]);
    const [into_id, from] = [await directory.identityOf('a'), await directory.identityOf('b')];
    const { id } = await directory.operate('identity.merge', { into_id, from_ids: [from] });
    await erase(into_id);
    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({
      status: 'refused',
      result: { error: 'the records it moved are there no more' },
    });
  });

  it('is a tombstone that nobody can be put into', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })]);
    await directory.sync(accounts, [row('c', { email: 'b@x.org' })]);
    const [erased, other] = [await directory.identityOf('a'), await directory.identityOf('b')];
    const record_ids = [(await directory.record('c')).id];
    const { id } = await directory.operate('identity.split', { identity_id: other, record_ids });
    await erase(erased);
    const refusal = { status: 'refused', result: { error: `${encodeId('identity', erased)} was erased` } };
    expect(await directory.operate('identity.merge', { into_id: erased, from_ids: [other] })).toMatchObject(refusal);
    expect(await directory.operate('identity.merge', { into_id: other, from_ids: [erased] })).toMatchObject(refusal);
    expect(await directory.operate('identity.erase', { identity_id: erased })).toMatchObject(refusal);
    await erase(other);
    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({
      status: 'refused',
      result: { error: `${encodeId('identity', other)} was erased` },
    });
  });

  it('is in no plan of a dry run, though it planned to make them, and in no account of an undone job', async () => {
    const wulio = (job_title: string) => [
      row('wulio-7', { email: 'wulio@x.org', job_title }),
      row('keep-7', { job_title }),
    ];
    const dryRun = async (connector: string, records: SourceRecord[]) => {
      const job = await wholeRun(directory, connector, [records], { dryRun: true });
      await endJob(directory, job);
      return job;
    };
    const outdated = await dryRun(hr, wulio('Clerk'));
    await directory.sync(hr, wulio('Clerk'));
    await dryRun(accounts, [row('wulio-login', { email: 'wulio@x.org' })]);
    await dryRun(machines, [row('bot-7', { owned_by: 'wulio@x.org' })]);
    await directory.sync(machines, [row('bot-7', { owned_by: 'wulio@x.org' })]);
    const job_id = await directory.sync(hr, wulio('Chief'));
    await directory.operate('job.undo', { job_id, preview: true });
    await directory.operate('plan.apply', { job_id: outdated });
    await directory.sync(hr, wulio('Head'));
    expect(Object.keys(await traces('wulio'))).toEqual(expect.arrayContaining(['sync_plan_entries', 'operations']));
    await erase(await directory.identityOf('wulio-7'));
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('keep-7'))).toEqual(expect.arrayContaining(['sync_plan_entries', 'operations']));
  });

  it('is named by no machine any more, in whichever role and by whatever name', async () => {
    await directory.sync(hr, [
      row('wulio-3', { email: 'wulio@x.org', employee_number: 'wulio9' }),
      row('other', { email: 'other@x.org' }),
    ]);
    await directory.sync(machines, [
      row('own', { owned_by: 'WQZ@x.org', technical_inheritor: 'other@x.org' }),
      row('led', { owned_by: 'other@x.org', manager_id: 'wulio9', technical_inheritor: 'wulio-3' }),
      row('keyed', { email: 'wulio@x.org' }),
    ]);
    await erase(await directory.identityOf('wulio-3'));
    expect(await traces('wulio')).toEqual({});
    expect(await directory.record('led')).toMatchObject({ fields: { owned_by: ['other@x.org'] }, status: 'active' });
    expect(await directory.record('keyed')).toMatchObject({ status: 'orphaned' });
  });

  it('is in nothing that was or would be sent of them, nor in what was answered', async () => {
    await directory.sync(hr, [row('wulio-5', { email: 'wulio5@x.org' }), row('keep-5', { email: 'keep5@x.org' })]);
    const identity = await directory.identityOf('wulio-5');
    await sentEverything();
    expect(Object.keys(await traces('wulio5'))).toEqual(expect.arrayContaining(['event_payloads', 'webhook_attempts']));
    await erase(identity);
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('keep5'))).toEqual(expect.arrayContaining(['event_payloads', 'webhook_attempts']));
  });

  it('is in nothing that the feed tells, which still tells that something happened', async () => {
    await directory.sync(hr, [row('wulio-8', { email: 'wulio8@x.org' }), row('keep-8', { email: 'keep8@x.org' })]);
    const identity = await directory.identityOf('wulio-8');
    await sentEverything();
    const gateway = await Database.connect({ url: directory.url, service: 'gateway' });
    const { tenant } = directory;
    const feed = () => gateway.transaction(tenant, (tx) => findFeedPage(tx, tenant, { after: 0, limit: 200 }));
    const before = await feed();
    expect(before.bodies.join()).toContain('wulio8@x.org');
    await erase(identity);
    const after = await feed();
    await gateway.close();
    expect(after.bodies.join()).not.toContain('wulio');
    expect(after.bodies.join()).toContain('keep8@x.org');
    expect(after.nextAfter).toBeGreaterThan(before.nextAfter);
    expect(after.bodies).toHaveLength(after.nextAfter);
  });

  it('is in no error of a job any more; others are', async () => {
    const errors = ['wulio-10', 'keep-10'].map((external_id) => ({
      external_id,
      message: `start_date "${external_id}" is no date`,
    }));
    await directory.sync(hr, [row('wulio-10', { email: 'wulio10@x.org' }), row('keep-10', { email: 'keep10@x.org' })]);
    await endWithErrors(await appliedRun(directory, hr, [], { errors }));
    await endWithErrors(await appliedRun(directory, hr, [], { errors: errors.toReversed() }));
    // The machine has the same id in another source, and is none of the person's records.
    const errorOfMachine = { external_id: 'wulio-10', message: 'another' };
    const machine = await appliedRun(directory, machines, [], { errors: [errorOfMachine] });
    await endWithErrors(machine);
    await erase(await directory.identityOf('wulio-10'));
    expect(await left('error_message')).toEqual([
      '1 record was left out; wulio-10: another',
      '2 records were left out',
      '2 records were left out; keep-10: start_date "keep-10" is no date',
    ]);
    expect(await left("external_id || ': ' || message", 'sync_record_errors', 'id')).toEqual([
      'erased: of a person who was erased',
      'keep-10: start_date "keep-10" is no date',
      'keep-10: start_date "keep-10" is no date',
      'erased: of a person who was erased',
      'wulio-10: another',
    ]);
    expect(await left('external_id', 'failing_records')).toEqual(['keep-10', 'wulio-10']);
    await directory.fixture.rows('delete from sync_jobs where id = $1', [machine]);
    expect(await traces('wulio')).toEqual({});
  });

  it('holds up no job that could not use their record: what it proves of its source stays proved', async () => {
    await directory.sync(hr, [row('wulio-11', { email: 'wulio11@x.org' }), row('gone-11', { email: 'gone11@x.org' })]);
    const identity = await directory.identityOf('wulio-11');
    const errors = [{ external_id: 'wulio-11', message: 'no date' }];
    const job = await appliedRun(directory, hr, [[row('keep-11', { email: 'keep11@x.org' })]], { errors });
    await erase(identity);
    await sweep(directory, job);
    expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
  });

  it('waits for whoever ends a job that could not use their record', async () => {
    await directory.sync(hr, [row('wulio-12', { email: 'wulio12@x.org' })]);
    const identity = await directory.identityOf('wulio-12');
    const job = await appliedRun(directory, hr, [], { errors: [{ external_id: 'wulio-12', message: 'no date' }] });
    const worker = await Database.connect({ url: directory.url, service: 'sync-worker' });
    let erased: Promise<void> | undefined;
    await worker.transaction(directory.tenant, async (tx) => {
      await tx.query('select from sync_jobs where id = $1 for update', [job]);
      erased = erase(identity);
      await directory.fixture.somebodyWaits();
      await tx.query(
        `update sync_jobs set status = 'completed_with_errors', error_message = '1 record was left out; wulio-12: no date',
                completed_at = now() where id = $1`,
        [job],
      );
    });
    await erased;
    await worker.close();
    expect(await traces('wulio')).toEqual({});
  });

  it('waits for whoever is rendering what is sent, so that nothing of theirs is kept afterwards', async () => {
    await directory.sync(hr, [row('wulio-6', { email: 'wulio6@x.org' })]);
    const identity = await directory.identityOf('wulio-6');
    const dispatcher = await Database.connect({ url: directory.url, service: 'webhook-dispatcher' });
    const { tenant } = directory;
    let erased: Promise<void> | undefined;
    await dispatcher.transaction(tenant, async (tx) => {
      await announceRendering(tx, tenant);
      const bodies = await findEventBodies(tx, tenant, { first: 1, last: 1_000 }, { limit: 1_000 });
      expect(bodies.map(({ body }) => body).join()).toContain('wulio6@x.org');
      erased = erase(identity);
      await directory.fixture.somebodyWaits();
      await savePayloads(tx, tenant, bodies);
    });
    await erased;
    await dispatcher.close();
    expect(await traces('wulio')).toEqual({});
  });
});

/** Ends a job as the sync-worker does that could not use some records. */
async function endWithErrors(job: string): Promise<void> {
  const { fixture } = directory;
  await fixture.rows(
    `with first as (
       select external_id || ': ' || message as said, (select count(*) from sync_record_errors where job_id = $1) as errors
         from sync_record_errors where job_id = $1 order by id limit 1)
     update sync_jobs set status = 'completed_with_errors', completed_at = now(),
            error_message = case errors when 1 then '1 record was' else errors || ' records were' end || ' left out; ' || said
       from first where id = $1`,
    [job],
  );
  await fixture.rows(
    `insert into failing_records (id, connector_id, tenant_id, job_id, external_id, message)
     select gen_random_uuid(), j.connector_id, j.tenant_id, j.id, e.external_id, e.message
       from sync_jobs j join sync_record_errors e on e.job_id = j.id where j.id = $1 on conflict do nothing`,
    [job],
  );
}

/** What stands in a column of the tenant's rows, if anything does. */
async function left(column: string, table = 'sync_jobs', order = column): Promise<string[]> {
  const rows = await directory.fixture.rows<{ said: string }>(
    `select ${column} as said from ${table} where tenant_id = $1 and ${column} is not null order by ${order}`,
    [directory.tenant],
  );
  return rows.map(({ said }) => said);
}

/** As if every event so far had been sent to a receiver that answers with what it was sent. */
async function sentEverything(): Promise<void> {
  const { fixture, tenant } = directory;
  const webhook = newUuid();
  await fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://receiver.example', '{*}')`,
    [webhook, tenant],
  );
  await fixture.rows(
    `insert into event_payloads (tenant_id, sequence, event_id, body)
     select e.tenant_id, e.sequence, e.id, coalesce(i.document, e.details::text)
       from events e left join identities i on i.id = e.identity_id where e.tenant_id = $1`,
    [tenant],
  );
  await fixture.rows(
    `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type)
     select id, tenant_id, $2, sequence, type from events where tenant_id = $1`,
    [tenant, webhook],
  );
  await fixture.rows(
    `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, response_body)
     select d.id, 1, d.tenant_id, d.webhook_id, p.body from webhook_deliveries d
       join event_payloads p on p.tenant_id = d.tenant_id and p.sequence = d.event_sequence where d.tenant_id = $1`,
    [tenant],
  );
}
