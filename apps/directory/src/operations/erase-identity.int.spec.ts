import { defaultMatchingRules, encodeId, newUuid, type SourceRecord, type SuppressedBy } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findEventBodies, lockPayloadsForRendering, savePayloads } from '@idsync/database/delivery';
import { findFeedPage } from '@idsync/database/gateway';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eraseIdentity, findTraces } from '../../test/erasure.js';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, sweep, wholeRun } from '../../test/whole-run.js';

const directory = Harness.ofFile();
let hr: string;

describe('an erasure', () => {
  let accounts: string;
  let machines: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
    accounts = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
    machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
  });

  const erase = (identityId: string) => eraseIdentity(directory, identityId);
  const traces = (word: string) => findTraces(directory, word);

  /** Ends a job with skipped records, as the sync-worker does. */
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

  /** Returns the values of a column in the tenant's rows that are not null. */
  async function left(column: string, table = 'sync_jobs', order = column): Promise<string[]> {
    const rows = await directory.fixture.rows<{ said: string }>(
      `select ${column} as said from ${table} where tenant_id = $1 and ${column} is not null order by ${order}`,
      [directory.tenant],
    );
    return rows.map(({ said }) => said);
  }

  /** Inserts deliveries of all events to a receiver that echoes the body. */
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
      `insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, response_body, response_headers)
     select d.id, 1, d.tenant_id, d.webhook_id, p.body, jsonb_build_object('x-echo', p.body) from webhook_deliveries d
       join event_payloads p on p.tenant_id = d.tenant_id and p.sequence = d.event_sequence where d.tenant_id = $1`,
      [tenant],
    );
  }

  it('removes the person from the candidates of cases, and settles a case without another candidate', async () => {
    const lee = (id: string) => row(id, { first_name: 'Ann', last_name: 'Lee', employee_number: `E${id}` });
    await directory.sync(hr, [lee('1'), lee('2')]);
    await directory.sync(accounts, [row('alee', { display_name: 'Ann Lee' })]);
    const candidates = async () => {
      const [found] = await directory.fixture.rows<{ status: string; candidates: { identity_id: string }[] }>(
        'select status, candidates from review_cases where tenant_id = $1',
        [directory.tenant],
      );
      return [found?.status, ...(found?.candidates ?? []).map(({ identity_id }) => identity_id)];
    };
    const [one, two] = [await directory.identityOf('1'), await directory.identityOf('2')];
    expect((await candidates()).sort()).toEqual([one, two, 'open'].sort());
    await erase(one);
    expect(await candidates()).toEqual(['open', two]);
    await erase(two);
    expect(await candidates()).toEqual(['settled']);
  });

  it('removes the data from events from before an account was matched', async () => {
    await directory.sync(accounts, [row('wulio-login', { employee_number: 'wulio7', first_name: 'Wulio' })]);
    await directory.sync(accounts, [row('wulio-login', { employee_number: 'wulio7', first_name: 'Wulioette' })]);
    await directory.sync(hr, [row('wulio-1', { employee_number: 'wulio7', last_name: 'Wulioman' })]);
    await erase(await directory.identityOf('wulio-1'));
    expect(await traces('wulio')).toEqual({});
  });

  it('removes the data from all identities that the person was ever part of', async () => {
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

  it('removes the values that linked the records, also from reverted operations and previews of rules', async () => {
    const wulio = { email: 'wulio@x.org', first_name: 'Wulio', last_name: 'Wulioman' };
    await directory.sync(hr, [row('wulio-1', wulio), row('keep', { email: 'keep@x.org' })]);
    const ad = await directory.fixture.connector(directory.tenant, { priority: 15 });
    await directory.sync(ad, [row('wulio-2', { email: 'wulio@x.org' })]);
    await directory.sync(accounts, [row('wulio-3', { email: 'wulio@x.org' })]);
    const [into_id, from] = [await directory.identityOf('keep'), await directory.identityOf('wulio-1')];
    const { id } = await directory.operate('identity.merge', { into_id, from_ids: [from] });
    await directory.operate('operation.revert', { operation_id: id });
    const rules = { ...defaultMatchingRules, certain: ['employee_number' as const] };
    await directory.operate('rules.change', { rules, preview: true });
    expect(JSON.stringify(await directory.record('wulio-2'))).toContain('"evidence":{"');
    await erase(await directory.identityOf('wulio-1'));
    expect(await traces('wulio')).toEqual({});
  });

  it('removes the user that an identity provider pushed', async () => {
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

  it('is not undone by the revert of a merge', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })]);
    const [into_id, from] = [await directory.identityOf('a'), await directory.identityOf('b')];
    const { id } = await directory.operate('identity.merge', { into_id, from_ids: [from] });
    await erase(into_id);
    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({
      status: 'refused',
      result: { error: 'the records that it moved no longer exist' },
    });
  });

  it('leaves a tombstone that refuses merge, erase and the revert of a split', async () => {
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

  it('removes the data from plans of dry runs and results of job undos', async () => {
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

  it.each([
    ['disables', 'inactive', (n: number) => [row(`r${n}`, { manager_id: 'wulio-5', status: 'inactive' })]],
    ['deletions', 'deleted', () => []],
  ])('keeps the %s of a held job for people whose manager is erased', async (_, status, listed) => {
    const numbers = [1, 2, 3, 4, 5, 6];
    const boss = row('wulio-5', { email: 'wulio5@x.org' });
    await directory.sync(hr, [boss, ...numbers.map((n) => row(`r${n}`, { manager_id: 'wulio-5' }))]);
    const job = await wholeRun(directory, hr, [numbers.flatMap(listed)]);
    await endJob(directory, job, 'quarantined');
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    await directory.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(directory, job);
    const rows = await directory.fixture.rows<{ status: string; fields: object }>(
      'select status, fields from source_records where tenant_id = $1',
      [directory.tenant],
    );
    expect(rows.map((record) => record.status)).toEqual(numbers.map(() => status));
    expect(JSON.stringify(rows)).not.toContain('manager_id');
  });

  it('removes a new record of a held job that resembles a person who was merged into the erased one', async () => {
    const listed = (prefix: string) => [
      row('keep-8', { email: 'keep8@x.org' }),
      row(`wulio-${prefix}`, { email: 'wulio8@x.org' }),
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => row(`${prefix}${n}`, { email: `held${n}@x.org` })),
    ];
    await directory.sync(hr, listed('a'));
    await directory.fixture.rows(
      'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
      [hr, directory.tenant],
    );
    const job = await wholeRun(directory, hr, [listed('b')]);
    await endJob(directory, job, 'quarantined');
    expect(Object.keys(await traces('wulio-b'))).toEqual(['sync_plan_entries']);
    const [into_id, from] = [await directory.identityOf('keep-8'), await directory.identityOf('wulio-a')];
    await directory.operate('identity.merge', { into_id, from_ids: [from] });
    await erase(into_id);
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('held1'))).toContain('sync_plan_entries');
  });

  it('removes a new record of a held job and of a dry run that were planned before the person was known', async () => {
    const listed = (prefix: string) => [
      row('keep-9', { email: 'keep9@x.org' }),
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => row(`${prefix}${n}`, { email: `held${n}@x.org` })),
    ];
    const people = [
      row('wulio-9', { email: 'WULIO9@x.org' }),
      row('wulio-new', { employee_number: '4711', email: 'wulio9@x.org' }),
    ];
    await directory.sync(hr, listed('a'));
    await directory.fixture.rows(
      'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
      [hr, directory.tenant],
    );
    const job = await wholeRun(directory, hr, [[...listed('b'), ...people]]);
    await endJob(directory, job, 'quarantined');
    const other = await directory.fixture.connector(directory.tenant, { priority: 15 });
    await endJob(directory, await wholeRun(directory, other, [people], { dryRun: true }));
    await directory.sync(other, [row('a', { email: 'wulio9@x.org' }), row('b', { employee_number: '4711' })]);
    await erase(await directory.identityOf('a'));
    const created = async () => {
      const sql = `select external_id as id from sync_plan_entries where tenant_id = $1 and action = 'create' order by 1`;
      return (await directory.fixture.rows<{ id: string }>(sql, [directory.tenant])).map(({ id }) => id);
    };
    // The number of the other person decides about this record.
    const others = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'];
    expect(await created()).toEqual([...others, 'wulio-new', 'wulio-new']);
    await erase(await directory.identityOf('b'));
    expect(await traces('wulio')).toEqual({});
    expect(await created()).toEqual(others);
  });

  it('removes all references of machines, in every role and by every key', async () => {
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

  it('removes a key of the person from machines in another notation of its normaliser', async () => {
    const badge = 'attributes.badge' as const;
    const rules = {
      ...defaultMatchingRules,
      certain: [badge, ...defaultMatchingRules.certain],
      keys: [{ field: badge, normaliser: 'digits' as const, strength: 'permanent' as const }],
    };
    await directory.operate('rules.change', { rules, preview: false });
    await directory.sync(hr, [row('wulio-3', { email: 'wulio@x.org', [badge]: 'Badge 4711' })]);
    await directory.sync(machines, [row('keyed', { [badge]: 'Wulio, 4711' })]);
    await erase(await directory.identityOf('wulio-3'));
    expect(await traces('wulio')).toEqual({});
  });

  it('leaves the history of other people, also with the same values', async () => {
    const title = (id: string, job_title: string) => row(id, { email: `${id}@x.org`, job_title });
    const clerk = title('wulio-3', 'Clerk');
    await directory.sync(hr, [clerk, title('other', 'Chief'), title('far', 'Chief')]);
    await directory.sync(machines, [row('bot', { owned_by: 'other@x.org' })]);
    const bot = row('bot', { owned_by: 'other@x.org', technical_inheritor: 'wulio-3' });
    await directory.sync(machines, [bot]);
    await directory.sync(hr, [clerk, title('other', 'Clerk'), title('far', 'Clerk')]);
    const kept = async (id: string) => {
      const [counts] = await directory.fixture.rows<{ versions: number; changes: number }>(
        `select (select count(*)::int from identity_versions where identity_id = $1) as versions,
                (select count(*)::int from events where identity_id = $1 and details ? 'changes') as changes`,
        [await directory.identityOf(id)],
      );
      return counts;
    };
    const far = await kept('far');
    expect(far?.changes).toBeGreaterThan(0);
    await erase(await directory.identityOf('wulio-3'));
    expect(await kept('far')).toEqual(far);
    expect((await kept('other'))?.versions).toBeGreaterThan(0);
  });

  it('leaves the planned deletion of a machine that the person was to inherit, which has no values', async () => {
    await directory.sync(hr, [row('wulio-3', { email: 'wulio@x.org' }), row('other', { email: 'other@x.org' })]);
    const stays = row('stays', { display_name: 'Stays' });
    await directory.sync(machines, [row('goes', { owned_by: 'other@x.org', technical_inheritor: 'wulio-3' }), stays]);
    const job = await wholeRun(directory, machines, [[stays]], { dryRun: true });
    await endJob(directory, job);
    const entries = () =>
      directory.fixture.rows('select action, external_id from sync_plan_entries where job_id = $1', [job]);
    const planned = [{ action: 'delete', external_id: 'goes' }];
    expect(await entries()).toEqual(planned);
    await erase(await directory.identityOf('wulio-3'));
    expect(await entries()).toEqual(planned);
  });

  it('removes earlier values of the person from events of machines', async () => {
    const other = row('other', { email: 'other@x.org' });
    await directory.sync(hr, [row('wulio-3', { email: 'wulio.old@x.org' }), other]);
    for (const [email, display_name] of [
      ['wulio.old@x.org', 'Bot 1'],
      ['bot@x.org', 'Bot 1'],
      // The states before the last two jobs are kept.
      ['bot@x.org', 'Bot 2'],
      ['bot@x.org', 'Bot 3'],
    ] as const) {
      const people = { owned_by: 'other@x.org', technical_inheritor: 'wulio-3' };
      await directory.sync(machines, [row('bot', { ...people, email, display_name })]);
    }
    await directory.sync(hr, [row('wulio-3', { email: 'wulio.new@x.org' }), other]);
    await erase(await directory.identityOf('wulio-3'));
    expect(await traces('wulio')).toEqual({});
  });

  it('removes values of the person from machines that have another owner now, and keeps the rest of their history', async () => {
    const other = row('other', { email: 'other@x.org' });
    await directory.sync(hr, [row('wulio-4', { email: 'wulio4@x.org' }), other]);
    const bot = (owned_by: string, display_name: string) => row('bot-4', { owned_by, display_name });
    await directory.sync(machines, [bot('wulio4@x.org', 'Crawler')]);
    await directory.sync(machines, [bot('wulio4@x.org', 'Indexer')]);
    await directory.sync(machines, [bot('other@x.org', 'Indexer')]);
    expect(Object.keys(await traces('wulio'))).toEqual(expect.arrayContaining(['events', 'source_records']));
    await erase(await directory.identityOf('wulio-4'));
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('crawler'))).toContain('record_versions');
  });

  it('keeps the history of people whose manager is erased, except what mentions the manager', async () => {
    const boss = row('wulio-5', { email: 'wulio5@x.org', first_name: 'Wulio' });
    const report = (fields: Record<string, string>) => row('r1', { email: 'r1@x.org', ...fields });
    await directory.sync(hr, [boss, report({ job_title: 'Trainee' })]);
    await directory.sync(hr, [boss, report({ job_title: 'Clerk' })]);
    await directory.sync(hr, [boss, report({ job_title: 'Clerk', manager_id: 'wulio-5' })]);
    const history = ['events', 'record_versions'];
    const before = await traces('trainee');
    expect(Object.keys(before)).toEqual(expect.arrayContaining(history));
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    const after = await traces('trainee');
    for (const table of history) expect(after[table]).toEqual(before[table]);
  });

  it('removes values of machines in the notation of a normalised key, and other email addresses', async () => {
    const rules = {
      ...defaultMatchingRules,
      certain: ['attributes.badge' as const, 'email' as const],
      keys: [{ field: 'attributes.badge' as const, normaliser: 'alphanumeric' as const }],
    };
    await directory.operate('rules.change', { rules, preview: false });
    const mails = { email: ['a@wulio.example'], other_emails: ['b@wulio.example'] };
    await directory.sync(hr, [{ external_id: '1', fields: { ...mails, 'attributes.badge': ['wulio7'] } }]);
    await directory.sync(machines, [
      row('bot', { 'attributes.badge': 'WULI-O7', display_name: 'Bot' }),
      row('job', { email: 'b@wulio.example', display_name: 'Job' }),
      row('other', { email: 'c@other.example' }),
    ]);
    await erase(await directory.identityOf('1'));
    expect(await traces('wuli')).toEqual({});
    expect((await directory.record('bot')).fields).toEqual({ display_name: ['Bot'] });
    expect((await directory.record('other')).fields).toEqual({ email: ['c@other.example'] });
  });

  it('removes the data from sent and pending payloads and from stored responses', async () => {
    await directory.sync(hr, [row('wulio-5', { email: 'wulio5@x.org' }), row('keep-5', { email: 'keep5@x.org' })]);
    const identity = await directory.identityOf('wulio-5');
    await sentEverything();
    expect(Object.keys(await traces('wulio5'))).toEqual(expect.arrayContaining(['event_payloads', 'webhook_attempts']));
    await erase(identity);
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('keep5'))).toEqual(expect.arrayContaining(['event_payloads', 'webhook_attempts']));
  });

  it('removes the data from the event feed and keeps the sequence of events', async () => {
    const sources = (email: string) => [row('wulio-8', { email }), row('keep-8', { email: 'keep8@x.org' })];
    await directory.sync(hr, sources('wulio8-old@x.org'));
    await directory.sync(hr, sources('wulio8@x.org'));
    const identity = await directory.identityOf('wulio-8');
    const gateway = await Database.connect({ url: directory.url, service: 'gateway' });
    const { tenant } = directory;
    const feed = () => gateway.transaction(tenant, (tx) => findFeedPage(tx, { after: 0, limit: 200 }));
    const previous = '{"field":"email","from":"wulio8-old@x.org","to":"wulio8@x.org"}';
    expect((await feed()).bodies.filter((body) => body.includes(previous))).toHaveLength(2);
    await sentEverything();
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

  it('removes the errors of the person from jobs and keeps other errors', async () => {
    const errors = ['wulio-10', 'keep-10'].map((external_id) => ({
      external_id,
      message: `start_date "${external_id}" is no date`,
      said: external_id,
    }));
    await directory.sync(hr, [row('wulio-10', { email: 'wulio10@x.org' }), row('keep-10', { email: 'keep10@x.org' })]);
    await endWithErrors(await appliedRun(directory, hr, [], { errors }));
    await endWithErrors(await appliedRun(directory, hr, [], { errors: errors.toReversed() }));
    // The machine has the same external id in another source and does not belong to the person.
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
      'erased: the person was erased',
      'keep-10: start_date "keep-10" is no date',
      'keep-10: start_date "keep-10" is no date',
      'erased: the person was erased',
      'wulio-10: another',
    ]);
    expect(await left("external_id || ': ' || source_message", 'sync_record_errors', 'id')).toEqual([
      'keep-10: keep-10',
      'keep-10: keep-10',
    ]);
    expect(await left('external_id', 'failing_records')).toEqual(['keep-10', 'wulio-10']);
    await directory.fixture.rows('delete from sync_jobs where id = $1', [machine]);
    expect(await traces('wulio')).toEqual({});
  });

  it('keeps errors of another record with the id that the person has in another source', async () => {
    await directory.sync(hr, [row('wulio-13', { email: 'wulio13@x.org' }), row('shared', { email: 'else@x.org' })]);
    await directory.sync(accounts, [row('shared', { email: 'wulio13@x.org' })]);
    const errors = ['wulio-13', 'shared'].map((external_id) => ({ external_id, message: 'no date' }));
    await endWithErrors(await appliedRun(directory, hr, [], { errors }));
    await erase(await directory.identityOf('wulio-13'));
    expect(await left("external_id || ': ' || message", 'sync_record_errors', 'id')).toEqual([
      'erased: the person was erased',
      'shared: no date',
    ]);
    expect(await left('external_id', 'failing_records')).toEqual(['shared']);
  });

  it('removes messages of the source about its failure or about unnamed records', async () => {
    await directory.sync(hr, [row('wulio-11', { email: 'wulio11@x.org' })]);
    const jobs = await Promise.all([hr, accounts].map((connector) => appliedRun(directory, connector, [])));
    for (const job of jobs) {
      await directory.fixture.rows(
        `update sync_jobs set status = 'failed', completed_at = now(), error_message = 'it failed',
                source_message = 'cn=wulio-11 is odd' where id = $1`,
        [job],
      );
      await directory.fixture.rows(
        `insert into failing_records (id, connector_id, tenant_id, job_id, line, message, source_message)
         select gen_random_uuid(), connector_id, tenant_id, id, 7, 'is no date', 'wulio-11' from sync_jobs where id = $1`,
        [job],
      );
    }
    await erase(await directory.identityOf('wulio-11'));
    // The other source has no record of the person.
    expect(await left('source_message')).toEqual(['cn=wulio-11 is odd']);
    expect(await left('source_message', 'failing_records')).toEqual(['wulio-11']);
  });

  it('does not prevent the sweep of a running job that skipped a record of the person', async () => {
    await directory.sync(hr, [row('wulio-11', { email: 'wulio11@x.org' }), row('gone-11', { email: 'gone11@x.org' })]);
    const identity = await directory.identityOf('wulio-11');
    const errors = [{ external_id: 'wulio-11', message: 'no date' }];
    const job = await appliedRun(directory, hr, [[row('keep-11', { email: 'keep11@x.org' })]], { errors });
    await erase(identity);
    await sweep(directory, job);
    expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 1 }]);
  });

  it('waits for a concurrent end of a job that skipped a record of the person', async () => {
    await directory.sync(hr, [row('wulio-12', { email: 'wulio12@x.org' })]);
    const identity = await directory.identityOf('wulio-12');
    const job = await appliedRun(directory, hr, [], { errors: [{ external_id: 'wulio-12', message: 'no date' }] });
    const worker = await Database.connect({ url: directory.url, service: 'sync-worker' });
    let erased: Promise<void> | undefined;
    await worker.transaction(directory.tenant, async (tx) => {
      await tx.query('select from sync_jobs where id = $1 for update', [job]);
      erased = erase(identity);
      await directory.fixture.waitForBlockedLock();
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

  it('waits for concurrent rendering of payloads, so that none with the data is stored afterwards', async () => {
    await directory.sync(hr, [row('wulio-6', { email: 'wulio6@x.org' })]);
    const identity = await directory.identityOf('wulio-6');
    const dispatcher = await Database.connect({ url: directory.url, service: 'webhook-dispatcher' });
    const { tenant } = directory;
    let erased: Promise<void> | undefined;
    await dispatcher.transaction(tenant, async (tx) => {
      await lockPayloadsForRendering(tx);
      const { bodies } = await findEventBodies(tx, { first: 1, last: 1_000 }, { limit: 1_000 });
      expect(bodies.map(({ body }) => body).join()).toContain('wulio6@x.org');
      erased = erase(identity);
      await directory.fixture.waitForBlockedLock();
      await savePayloads(tx, bodies);
    });
    await erased;
    await dispatcher.close();
    expect(await traces('wulio')).toEqual({});
  });
});

describe('an erasure that suppresses the person', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant);
  });

  const kinds: SuppressedBy[] = ['anchor', 'employee_number', 'email', 'user_principal_name'];

  /** Erases the person of a record with a hash of each kind, whose bytes are the name of the kind. */
  async function erase(externalId: string): Promise<string> {
    const { id, identity_id } = await directory.record(externalId);
    const suppress = kinds.map((kind) => ({ record_id: id, kind, hash: Buffer.from(kind).toString('base64') }));
    const { id: operation } = await directory.operate('identity.erase', { identity_id, suppress, reason: 'asked' });
    return operation;
  }

  const stored = async (): Promise<string[]> =>
    (
      await directory.fixture.rows<{ hash: Buffer }>('select hash from suppression_hashes where tenant_id = $1', [
        directory.tenant,
      ])
    )
      .map(({ hash }) => hash.toString())
      .sort();

  it('stores the hashes of the anchor and of the match keys of the person, and their time', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org', employee_number: 'E1' })]);
    const identity = await directory.identityOf('a');
    const operation = await erase('a');
    expect(await stored()).toEqual(['anchor', 'email', 'employee_number']);
    expect(
      await directory.fixture.rows('select identity_id, operation_id from suppressions where tenant_id = $1', [
        directory.tenant,
      ]),
    ).toEqual([{ identity_id: identity, operation_id: operation }]);
    const [{ input } = { input: {} }] = await directory.fixture.rows<{ input: object }>(
      'select input from operations where id = $1',
      [operation],
    );
    expect(input).toEqual({ identity_id: identity, reason: 'asked' });
  });

  it('stores no hash of a placeholder, of a mailbox of a function, or of a key that others have too', async () => {
    await directory.sync(hr, [
      row('a', { email: 'info@x.org', employee_number: 'N/A', user_principal_name: 'u@x.org', first_name: 'Ann' }),
      row('b', { user_principal_name: 'u@x.org', employee_number: 'E2', first_name: 'Bob' }),
    ]);
    expect(await directory.identityOf('a')).not.toBe(await directory.identityOf('b'));
    await erase('a');
    expect(await stored()).toEqual(['anchor']);
  });

  it('stores the hash of an address that only an account of the person has', async () => {
    const logins = await directory.fixture.connector(directory.tenant, { records: 'account' });
    await directory.sync(hr, [row('a', { employee_number: 'E1' })]);
    await directory.sync(logins, [row('login', { employee_number: 'E1', email: 'a@x.org' })]);
    expect(await directory.identityOf('login')).toBe(await directory.identityOf('a'));
    await erase('login');
    expect(await stored()).toEqual(['anchor', 'email', 'employee_number']);
  });

  it('stores no hash of a record that belongs to another person', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })]);
    const { identity_id } = await directory.record('a');
    const { id } = await directory.record('b');
    const suppress = [{ record_id: id, kind: 'anchor' as const, hash: 'YQ==' }];
    await directory.operate('identity.erase', { identity_id, suppress });
    expect(await stored()).toEqual([]);
  });

  it('without hashes suppresses nothing', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' })]);
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('a') });
    expect(await directory.fixture.rows('select from suppressions where tenant_id = $1', [directory.tenant])).toEqual(
      [],
    );
  });

  it('that is refused keeps no hash in its operation', async () => {
    const suppress = [{ record_id: newUuid(), kind: 'anchor' as const, hash: 'YQ==' }];
    const { id, status } = await directory.operate('identity.erase', { identity_id: newUuid(), suppress });
    expect(status).toBe('refused');
    const rows = await directory.fixture.rows<{ input: object }>('select input from operations where id = $1', [id]);
    expect(rows[0]?.input).not.toHaveProperty('suppress');
  });
});
