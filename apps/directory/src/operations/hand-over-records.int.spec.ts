import { encodeId, type SourceRecord } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { shownDetails } from '@idsync/database/bus';
import { lockUnfinishedJobs } from '@idsync/database/directory';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { evaluate, shownFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, wholeRun } from '../../test/whole-run.js';

const directory = Harness.ofFile();
let old: string;
let hr: string;

beforeEach(async () => {
  await directory.newTenant();
  old = await directory.fixture.connector(directory.tenant, { name: 'Old' });
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR' });
});

const person = (n: number, id = `p${n}`, more: Record<string, string> = {}): SourceRecord =>
  row(id, { employee_number: `E${n}`, email: `p${n}@x.org`, first_name: `Ann${n}`, last_name: `Green${n}`, ...more });

const people = (count: number, prefix = 'p') => Array.from({ length: count }, (_, n) => person(n, `${prefix}${n}`));

/** Returns the records as members of the group `g1`. */
const membersOf = (name: string, records: readonly SourceRecord[]): SourceRecord[] =>
  records.map((each) => ({
    ...each,
    fields: { ...each.fields, groups: [name] },
    memberships: [{ id: 'g1', name }],
  }));

async function run(connector: string, records: SourceRecord[]): Promise<string> {
  const job = await wholeRun(directory, connector, [records]);
  await endJob(directory, job);
  return job;
}

const deleteConnector = (id = old) =>
  directory.fixture.rows('update connectors set deleted_at = now() where id = $1', [id]);

const handOver = () => directory.operate('connector.hand_over', { from_id: old, to_id: hr });

/** Live records of a connector: record id by external id. */
async function live(connector: string): Promise<Record<string, string>> {
  const rows = await directory.fixture.rows<{ id: string; external_id: string }>(
    `select id, external_id from source_records where connector_id = $1 and status <> 'deleted' order by external_id`,
    [connector],
  );
  return Object.fromEntries(rows.map(({ id, external_id }) => [external_id, id]));
}

const lastSequence = async () =>
  Number(
    (
      await directory.fixture.rows<{ last: string }>('select last from event_sequences where tenant_id = $1', [
        directory.tenant,
      ])
    )[0]?.last,
  );

const eventsAfter = async (sequence: number): Promise<string[]> =>
  (
    await directory.fixture.rows<{ type: string }>(
      'select type from events where tenant_id = $1 and sequence > $2 order by sequence',
      [directory.tenant, sequence],
    )
  ).map(({ type }) => type);

describe('a hand-over of the records of a deleted connector', () => {
  it('moves them without events, and the next run of the new connector finds them unchanged', async () => {
    await run(old, people(3));
    const before = await live(old);
    const identity = await directory.identityOf('p1');
    await deleteConnector();
    const sequence = await lastSequence();
    expect(await handOver()).toMatchObject({
      status: 'done',
      result: { records_moved: 3, records_joined: 0, records_in_conflict: 0, conflicts: [] },
    });
    expect(await live(hr)).toEqual(before);
    await run(hr, people(3));
    expect(await eventsAfter(sequence)).toEqual([]);
    await run(hr, people(3).slice(0, 2));
    expect(await live(hr)).toEqual({ p0: before.p0, p1: before.p1 });
    expect(await directory.identityOf('p1')).toBe(identity);
    expect(await live(old)).toEqual({});
  });

  it('lets the first run of the new connector keep the records of people with new ids', async () => {
    await run(old, people(3));
    const before = Object.values(await live(old));
    await deleteConnector();
    await handOver();
    const sequence = await lastSequence();
    await run(
      hr,
      people(3).map(({ fields }, n) => ({ external_id: `new${n}`, fields })),
    );
    const after = await live(hr);
    expect(Object.keys(after)).toEqual(['new0', 'new1', 'new2']);
    expect(Object.values(after).sort()).toEqual(before.sort());
    expect((await eventsAfter(sequence)).filter((type) => !type.startsWith('sync.'))).toEqual([
      'user.updated',
      'user.updated',
      'user.updated',
    ]);
  });

  it('moves the memberships to groups of the new connector', async () => {
    await run(
      old,
      people(2).map((each) => ({ ...each, fields: { ...each.fields, groups: ['Sales'] } })),
    );
    await deleteConnector();
    await handOver();
    const rows = await directory.fixture.rows(
      `select connector_id, count(*)::integer as members from groups join list_terms using (tenant_id, term)
        where tenant_id = $1 group by 1`,
      [directory.tenant],
    );
    expect(rows).toEqual([{ connector_id: hr, members: 2 }]);
  });

  it('moves the memberships of a renamed group, whose key the new connector gives at its next run', async () => {
    const named = (name: string) => membersOf(name, people(1));
    await run(old, named('Sales'));
    await run(old, named('Trade'));
    await deleteConnector();
    await handOver();
    const groups = () =>
      directory.fixture.rows(
        `select connector_id, name, external_id from groups join list_terms using (tenant_id, term) where tenant_id = $1`,
        [directory.tenant],
      );
    expect(await groups()).toEqual([{ connector_id: hr, name: 'Trade', external_id: null }]);
    await run(hr, named('Trade'));
    expect(await groups()).toEqual([{ connector_id: hr, name: 'Trade', external_id: 'g1' }]);
  });

  it('lets the next run of the new connector give keys to groups of members that have not changed', async () => {
    const listed = membersOf('Sales', people(1));
    await run(old, listed);
    await deleteConnector();
    await handOver();
    await run(hr, listed);
    expect(
      await directory.fixture.rows(
        'select name, external_id from groups join list_terms using (tenant_id, term) where tenant_id = $1',
        [directory.tenant],
      ),
    ).toEqual([{ name: 'Sales', external_id: 'g1' }]);
  });

  it('gives a record that the new source no longer lists groups of the new connector', async () => {
    const named = (name: string) => membersOf(name, people(2));
    await run(old, named('Sales'));
    await run(old, named('Trade'));
    await deleteConnector();
    await run(hr, named('Trade'));
    await run(hr, named('Trade').slice(0, 1));
    await handOver();
    const rows = await directory.fixture.rows(
      `select connector_id, count(*)::integer as members from groups join list_terms using (tenant_id, term)
        where tenant_id = $1 group by 1`,
      [directory.tenant],
    );
    expect(rows).toEqual([{ connector_id: hr, members: 2 }]);
  });

  it('shows the new connector as the source of all values of the identity', async () => {
    await run(old, people(1));
    await deleteConnector();
    await handOver();
    const [identity] = await directory.fixture.rows<{ document: string }>(
      'select document from identities where tenant_id = $1',
      [directory.tenant],
    );
    const { attributes } = JSON.parse(identity?.document ?? '{}') as { attributes: { source_id: string }[] };
    expect(new Set(attributes.map(({ source_id }) => source_id))).toEqual(new Set([encodeId('connector', hr)]));
  });

  it.each([
    ['by its anchor', 'p'],
    ['by a match key if the anchors differ', 'new'],
  ])('joins a record that the new connector has read already %s, under the older id', async (_how, prefix) => {
    await run(old, people(3));
    const before = await live(old);
    const identity = await directory.identityOf('p1');
    await deleteConnector();
    await run(hr, people(3, prefix));
    const sequence = await lastSequence();
    expect(await handOver()).toMatchObject({ result: { records_moved: 0, records_joined: 3, records_in_conflict: 0 } });
    expect(await live(hr)).toEqual({ [`${prefix}0`]: before.p0, [`${prefix}1`]: before.p1, [`${prefix}2`]: before.p2 });
    expect(await live(old)).toEqual({});
    const events = await eventsAfter(sequence);
    expect(events.filter((type) => /^(identity|lifecycle)\./.test(type))).toEqual([]);
    expect(events.filter((type) => type === 'user.deleted')).toHaveLength(3);
    const [renamed] = await directory.fixture.rows<{ details: Record<string, unknown> }>(
      `select details from events
        where tenant_id = $1 and sequence > $2 and type = 'user.updated' and subject_id = $3`,
      [directory.tenant, sequence, before.p1],
    );
    const change = { field: 'external_id', from: 'p1', to: 'new1', source: encodeId('connector', hr) };
    expect(shownDetails(renamed?.details ?? {}).changes).toEqual(prefix === 'p' ? undefined : [change]);
    const [kept] = await directory.fixture.rows<{ identity_id: string }>(
      'select identity_id from source_records where id = $1',
      [before.p1],
    );
    expect(kept?.identity_id).toBe(identity);
    const after = await lastSequence();
    await run(hr, people(3, prefix));
    expect(await eventsAfter(after)).toEqual([]);
  });

  it('is no finding about leavers of a connector that preceded', async () => {
    await directory.fixture.rows('update connectors set priority = 1 where id = $1', [old]);
    await run(old, people(3));
    await run(hr, people(3, 'new'));
    await deleteConnector();
    expect(await handOver()).toMatchObject({ result: { records_joined: 3 } });
    await evaluate(directory);
    expect(await shownFindings(directory)).toEqual([]);
  });

  it('takes the status of the new connector, so that a leaver is no longer active', async () => {
    await run(old, people(2));
    await deleteConnector();
    await run(hr, [person(0), person(1, 'p1', { status: 'inactive' })]);
    await handOver();
    const identities = await directory.fixture.rows<{ status: string }>(
      'select status from identities where tenant_id = $1 order by status',
      [directory.tenant],
    );
    expect(identities.map(({ status }) => status)).toEqual(['active', 'inactive']);
  });

  it('leaves and reports a record whose anchor belongs to another person', async () => {
    await run(old, people(2));
    const before = await live(old);
    await deleteConnector();
    await run(hr, [person(7, 'p0')]);
    expect(await handOver()).toMatchObject({
      result: { records_moved: 1, records_in_conflict: 1, conflicts: [encodeId('user', before.p0 ?? '')] },
    });
    expect(await live(old)).toEqual({ p0: before.p0 });
  });

  it('keeps the record if the new source no longer lists it, and its next run deletes it', async () => {
    await run(old, people(2));
    await deleteConnector();
    await run(hr, people(2));
    await run(hr, people(1));
    expect(Object.keys(await live(hr))).toEqual(['p0']);
    await handOver();
    expect(Object.keys(await live(hr))).toEqual(['p0', 'p1']);
    await run(hr, people(1));
    expect(Object.keys(await live(hr))).toEqual(['p0']);
  });

  it('moves accounts and shows their new source', async () => {
    const [from, to] = [
      await directory.fixture.connector(directory.tenant, { records: 'account' }),
      await directory.fixture.connector(directory.tenant, { records: 'account' }),
    ];
    await run(from, [row('login', { email: 'p1@x.org' })]);
    await deleteConnector(from);
    await directory.operate('connector.hand_over', { from_id: from, to_id: to });
    const [account] = await directory.fixture.rows<{ document: string }>(
      'select document from source_records where connector_id = $1',
      [to],
    );
    expect(JSON.parse(account?.document ?? '{}')).toMatchObject({ source_system_id: encodeId('connector', to) });
  });

  it('is refused while the connector exists, for another kind of records, and for a deleted target', async () => {
    const refused = async (from_id: string, to_id: string) =>
      (await directory.operate('connector.hand_over', { from_id, to_id })).result.error;
    expect(await refused(old, hr)).toBe('the connector Old is not deleted');
    await deleteConnector();
    const accounts = await directory.fixture.connector(directory.tenant, { name: 'LDAP', records: 'account' });
    expect(await refused(old, accounts)).toBe('Old has records of kind user, and LDAP of kind account');
    await deleteConnector(hr);
    expect(await refused(old, hr)).toBe('the connector HR is deleted');
  });

  it('is refused while one of the connectors is being read, and changes nothing', async () => {
    await run(old, people(2));
    await deleteConnector();
    await appliedRun(directory, hr, [people(1)]);
    expect(await handOver()).toMatchObject({
      status: 'refused',
      result: { error: 'a sync job of Old or HR has not ended: try again afterwards' },
    });
    expect(Object.keys(await live(old))).toEqual(['p0', 'p1']);
  });

  it('empties the held plans of the deleted connector, so that their release deletes no handed-over record', async () => {
    const all = Array.from({ length: 40 }, (_, n) => person(n));
    await run(old, all);
    const held = await wholeRun(directory, old, [all.slice(0, 5)]);
    expect(await answers(directory, held)).toMatchObject([{ type: 'sync.sweep.held' }]);
    await endJob(directory, held, 'quarantined');
    await deleteConnector();
    expect(await handOver()).toMatchObject({ result: { records_moved: 40 } });
    expect(await directory.fixture.rows('select from sync_plan_entries where job_id = $1', [held])).toEqual([]);
  });

  it.each(['of the deleted connector', 'of the new connector'])(
    'waits for a job %s that is being started, and is refused',
    async (which) => {
      await run(old, people(2));
      const job = await directory.fixture.job(directory.tenant, which.includes('new') ? hr : old, 'queued');
      await deleteConnector();
      const worker = await Database.connect({ url: directory.url, service: 'sync-worker' });
      try {
        let handedOver: ReturnType<typeof handOver> | undefined;
        await worker.transaction(directory.tenant, async (tx) => {
          await tx.query(`update sync_jobs set status = 'running' where id = $1`, [job]);
          handedOver = handOver();
          await directory.fixture.waitForBlockedLock();
        });
        expect(await handedOver).toMatchObject({ status: 'refused' });
        expect(Object.keys(await live(old))).toHaveLength(2);
      } finally {
        await worker.close();
      }
    },
  );

  it('lets a queued job start only after its end', async () => {
    await run(old, people(2));
    const job = await directory.fixture.job(directory.tenant, hr, 'queued');
    await deleteConnector();
    const worker = await Database.connect({ url: directory.url, service: 'sync-worker' });
    const claim = () =>
      worker.transaction(directory.tenant, (tx) =>
        tx.query('select from sync_jobs where id = $1 for update skip locked', [job]),
      );
    try {
      await directory.database.transaction(directory.tenant, async (tx) => {
        await lockUnfinishedJobs(tx, [old, hr]);
        expect(await claim()).toEqual([]);
      });
      expect(await claim()).toHaveLength(1);
      expect(await handOver()).toMatchObject({ status: 'done', result: { records_moved: 2 } });
    } finally {
      await worker.close();
    }
  });
});
