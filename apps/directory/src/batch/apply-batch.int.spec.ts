import type { Message, SourceRecord } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { assignTime } from '@idsync/database/bus';
import type { DirectoryFixture } from '@idsync/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyPlanned } from '../../test/apply-planned.js';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { appliedRun, sweep } from '../../test/whole-run.js';
import { applyBatch } from './apply-batch.js';
import { ProposedTimes } from './proposed-times.js';

const directory = Harness.ofFile();

describe('applying a batch', () => {
  interface Identity {
    id: string;
    display_name: string;
    status: string;
    updated_at: string;
    attributes: { field_name: string; field_value: string; priority: number }[];
    users: { id: string; external_id: string; status: string }[];
    accounts: { external_id: string; person_id: string; status: string }[];
    machine_identities: { display_name: string; status: string }[];
  }
  let database: Database;
  let fixture: DirectoryFixture;
  let tenant: string;

  beforeEach(async () => {
    await directory.newTenant();
    ({ database, fixture, tenant } = directory);
  });

  function person(external_id: string, values: Record<string, string | string[]>): SourceRecord {
    const fields = Object.entries(values).map(([field, value]) => [field, typeof value === 'string' ? [value] : value]);
    return { external_id, fields: Object.fromEntries(fields) };
  }

  async function sync(connector: string, records: SourceRecord[], at?: string): Promise<void> {
    const job = await fixture.job(tenant, connector);
    const now = at === undefined ? undefined : new Date(at);
    await applyBatch(database, await fixture.batch(tenant, connector, job, 0, records), { fixedTime: now });
    await applyPlanned({ database, fixture, tenant }, job, now);
  }

  const identities = () => fixture.identities<Identity>(tenant);

  async function eventTypes(): Promise<string[]> {
    const rows = await fixture.rows<{ type: string }>(
      'select type from events where tenant_id = $1 order by sequence',
      [tenant],
    );
    return rows.map((row) => row.type);
  }

  async function counters(): Promise<Record<string, number>> {
    const rows = await fixture.rows<{ name: string; count: number }>(
      `select resource || ' ' || status as name, count::int from directory_counters where tenant_id = $1 and count <> 0`,
      [tenant],
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.count]));
  }

  it('creates an identity with attributes, document, total and history for a new user', async () => {
    const hr = await fixture.connector(tenant, { priority: 10 });
    await sync(hr, [
      person('1', { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@x.org', 'attributes.phone': '1' }),
    ]);

    const [ada, ...others] = await identities();
    expect(others).toEqual([]);
    expect(ada).toMatchObject({ display_name: 'Ada Lovelace', status: 'active', accounts: [], machine_identities: [] });
    expect(ada?.attributes.map((each) => each.field_name)).toEqual(['email', 'first_name', 'last_name', 'phone']);
    expect(ada?.users).toMatchObject([{ external_id: '1', status: 'active' }]);
    expect(await eventTypes()).toEqual(['identity.created', 'user.created', 'lifecycle.joiner']);
    expect(await counters()).toEqual({ 'identity active': 1, 'user active': 1 });
  });

  it('joins users of two sources by employee number, email or user principal name, ignoring case', async () => {
    const hr = await fixture.connector(tenant);
    const ad = await fixture.connector(tenant);
    await sync(hr, [
      person('1', { employee_number: 'E7', first_name: 'A' }),
      person('2', { email: 'Bob@X.org' }),
      person('3', { user_principal_name: 'cy@corp' }),
    ]);
    await sync(ad, [
      person('a', { employee_number: 'e7' }),
      person('b', { email: 'bob@x.ORG ' }),
      person('c', { user_principal_name: 'CY@corp' }),
      person('d', { email: 'dora@x.org' }),
    ]);
    const joined = (await identities()).map((each) => each.users.map((user) => user.external_id));
    expect(joined).toEqual([['1', 'a'], ['2', 'b'], ['3', 'c'], ['d']]);
  });

  it('changes nothing when a message is redelivered or a source lists the same values again', async () => {
    const hr = await fixture.connector(tenant);
    const message = await fixture.batch(tenant, hr, await fixture.job(tenant, hr), 0, [
      person('1', { email: 'a@x.org' }),
    ]);
    await applyBatch(database, message);
    const before = await identities();
    await applyBatch(database, message);
    await sync(hr, [person('1', { email: 'a@x.org' })]);
    expect(await identities()).toEqual(before);
    expect(await eventTypes()).toHaveLength(3);
    const applied = await fixture.rows<{ message: string }>(
      `select message from outbox where type = 'sync.batch.applied' and message like '%' || $1 || '%' order by id`,
      [tenant],
    );
    expect(applied.map((row) => JSON.parse(row.message).data)).toMatchObject([
      { created: 1, unchanged: 0 },
      { created: 0, updated: 0, unchanged: 1 },
    ]);
  });

  it('fails to be retried while a batch of a running job is not visible, and is applied by the same message', async () => {
    const hr = await fixture.connector(tenant);
    const job = await fixture.job(tenant, hr, 'running');
    const message = await fixture.batch(tenant, hr, job, 0, [person('1', { email: 'a@x.org' })]);
    const rows = await fixture.rows('delete from sync_batches where job_id = $1 returning *', [job]);
    const early = applyBatch(database, message);
    await expect(early).rejects.toThrow('the batch of the message is not visible yet');
    await fixture.rows('insert into sync_batches select (jsonb_populate_record(null::sync_batches, $1)).*', rows);
    expect(await applyBatch(database, message, { attempt: 2 })).toMatchObject({ created: 1 });
  });

  it.each([
    ['was applied', 'batches_written = 1'],
    ['belongs to a job that has ended', "status = 'failed'"],
  ])('does nothing for a batch that %s and is deleted', async (_, state) => {
    const hr = await fixture.connector(tenant);
    const job = await fixture.job(tenant, hr, 'running');
    const message = await fixture.batch(tenant, hr, job, 0, [person('1', { email: 'a@x.org' })]);
    await fixture.rows('delete from sync_batches where job_id = $1', [job]);
    await fixture.rows(`update sync_jobs set ${state} where id = $1`, [job]);
    expect(await applyBatch(database, message)).toBeUndefined();
    expect(await identities()).toEqual([]);
  });

  it('stores repeated values once and treats another order of values as no change', async () => {
    const hr = await fixture.connector(tenant);
    const listed = (departments: string[], more: Record<string, string | string[]> = {}) =>
      person('1', { departments, 'attributes.site': departments, first_name: 'Ann', ...more });
    const departments = async () => {
      const [identity] = await fixture.identities<{ users: { departments: string[] }[] }>(tenant);
      return identity?.users[0]?.departments;
    };
    await sync(hr, [listed(['Sales', 'Legal', 'Sales'])]);
    expect(await departments()).toEqual(['Sales', 'Legal']);
    const before = await identities();
    await sync(hr, [listed(['Legal', 'Sales', 'Legal'])]);
    expect(await identities()).toEqual(before);
    expect(await eventTypes()).toHaveLength(3);

    await sync(hr, [listed(['Legal', 'Sales'], { first_name: 'Anna' })]);
    expect(await departments()).toEqual(['Sales', 'Legal']);
    expect(await eventTypes()).not.toContain('lifecycle.mover');
    const [updated] = await fixture.rows<{ details: { changes: object[] } }>(
      `select details from events where tenant_id = $1 and type = 'user.updated'`,
      [tenant],
    );
    expect(updated?.details.changes).toMatchObject([{ field: 'first_name', from: 'Ann', to: 'Anna' }]);

    await sync(hr, [listed(['Legal', 'Ops'])]);
    expect(await departments()).toEqual(['Legal', 'Ops']);
    expect(await eventTypes()).toContain('lifecycle.mover');
  });

  it('keeps the stored values of a field whose values cannot be used', async () => {
    const hr = await fixture.connector(tenant);
    const listed = (first_name: string) => person('1', { first_name, email: 'a@x.org' });
    await sync(hr, [person('1', { first_name: 'Ann', email: 'a@x.org', hire_date: '2999-01-01T00:00:00.000Z' })]);
    const user = async () => (await identities())[0]?.users[0];
    expect(await user()).toMatchObject({ status: 'pending', hire_date: '2999-01-01T00:00:00.000Z' });
    const before = await identities();
    await sync(hr, [{ ...listed('Ann'), kept: ['hire_date'] }]);
    expect(await identities()).toEqual(before);

    await sync(hr, [{ ...listed('Anna'), kept: ['hire_date'] }]);
    expect(await user()).toMatchObject({
      first_name: 'Anna',
      status: 'pending',
      hire_date: '2999-01-01T00:00:00.000Z',
    });
    await sync(hr, [listed('Anna')]);
    expect(await user()).toMatchObject({ first_name: 'Anna', status: 'active' });
    expect(await user()).not.toHaveProperty('hire_date');
  });

  it.each(['hire_date', 'termination_date'])(
    'leaves out a new user whose %s cannot be used, and reports it',
    async (date) => {
      const hr = await fixture.connector(tenant);
      const unusable = { ...person('1', { first_name: 'Ann' }), kept: [date] };
      const others = [person('2', { first_name: 'Bo' }), { ...person('3', { first_name: 'Cy' }), kept: ['job_title'] }];
      await sync(hr, [unusable, ...others]);
      expect((await identities()).map(({ users }) => users[0]?.external_id).sort()).toEqual(['2', '3']);
      const [applied] = await fixture.rows<{ message: string }>(
        `select message from outbox where type = 'sync.batch.applied' and message like '%' || $1 || '%' order by id`,
        [tenant],
      );
      expect(JSON.parse(applied?.message ?? '{}').data).toMatchObject({
        created: 2,
        unchanged: 0,
        errors: [{ external_id: '1', message: `${date} cannot be used; without it, a new user would be active` }],
      });

      await sync(hr, [person('1', { first_name: 'Ann' }), ...others]);
      expect(await identities()).toHaveLength(3);
    },
  );

  it('leaves out a row of a file that would be a new user with neither a name nor a match key, and reports its line', async () => {
    const hr = await fixture.connector(tenant);
    const errors = async () => {
      const rows = await fixture.rows<{ message: string }>(
        `select message from outbox where type = 'sync.batch.applied' and message like '%' || $1 || '%' order by id`,
        [tenant],
      );
      return JSON.parse(rows.at(-1)?.message ?? '{}').data.errors;
    };
    const row = (line: number, id: string, values = {}) => ({ ...person(id, values), line });
    const message = 'has neither a name nor a match key, and a new user needs one: is it the last line of a report?';
    const trailers = [row(4, 'TRAILER', { email: [] }), row(5, 'Total: 2', { email: 'N/A', job_title: '2' })];
    await sync(hr, [
      row(2, '1', { employee_number: '4711' }),
      person('2', {}),
      row(3, '3', { status: 'deleted' }),
      ...trailers,
    ]);
    expect((await identities()).map(({ users }) => users[0]?.external_id).sort()).toEqual(['1', '2']);
    expect(await errors()).toEqual([
      { external_id: 'TRAILER', line: 4, message },
      { external_id: 'Total: 2', line: 5, message },
    ]);

    await sync(hr, [row(2, '1', { job_title: 'Pilot' })]);
    expect(await errors()).toEqual([]);
    expect(await identities()).toHaveLength(2);
  });

  it('changes only the hash of a record if a listed value cannot be used and the others are the stored ones', async () => {
    const hr = await fixture.connector(tenant);
    await sync(hr, [person('1', { job_title: 'Clerk', email: 'a@x.org' })], '2026-01-01T00:00:00Z');
    const before = await identities();
    const job = await fixture.job(tenant, hr);
    await applyBatch(
      database,
      await fixture.batch(tenant, hr, job, 0, [{ ...person('1', { email: 'a@x.org' }), kept: ['job_title'] }]),
    );
    expect(await identities()).toEqual(before);
    expect(await eventTypes()).toHaveLength(3);
    const changed = 'select from source_records where tenant_id = $1 and last_job_id = $2';
    expect(await fixture.rows(changed, [tenant, job])).toEqual([]);
  });

  it('shows the value with the lowest priority number, and the next candidate when that value is cleared', async () => {
    const hr = await fixture.connector(tenant, { priority: 10 });
    const ad = await fixture.connector(tenant, { priority: 20 });
    await sync(ad, [person('a', { email: 'a@x.org', job_title: 'Clerk' })]);
    await sync(hr, [person('1', { email: 'a@x.org', job_title: 'Director' })]);
    const titles = async () =>
      (await identities())[0]?.attributes
        .filter((each) => each.field_name === 'job_title')
        .map((each) => each.field_value);
    expect(await titles()).toEqual(['Director', 'Clerk']);
    await sync(hr, [person('1', { email: 'a@x.org', job_title: [] })]);
    expect(await titles()).toEqual(['Clerk']);
    expect(await eventTypes()).toContain('lifecycle.mover');
  });

  it('leaves an account without a match unlinked and links it when its person is added', async () => {
    const ldap = await fixture.connector(tenant, { records: 'account' });
    const hr = await fixture.connector(tenant);
    await sync(ldap, [person('uid=ada', { email: 'ada@x.org', identifier: 'ada' }), person('uid=tesla', {})]);
    expect(await identities()).toEqual([]);
    await sync(hr, [person('1', { email: 'ada@x.org' })]);
    const [ada] = await identities();
    expect(ada?.accounts).toMatchObject([{ external_id: 'uid=ada', person_id: ada?.id }]);
    const [{ waiting } = { waiting: 0 }] = await fixture.rows<{ waiting: number }>(
      'select count(*)::int as waiting from waiting_records where tenant_id = $1',
      [tenant],
    );
    expect(waiting).toBe(0);
    expect(await eventTypes()).toContain('account.linked');
  });

  it('does not join two records of one source that share an email', async () => {
    const hr = await fixture.connector(tenant);
    await sync(hr, [person('1', { email: 'smiths@x.org' }), person('2', { email: 'smiths@x.org' })]);
    expect(await identities()).toHaveLength(2);
  });

  it('does not join by email if the employee numbers differ', async () => {
    const hr = await fixture.connector(tenant);
    const ad = await fixture.connector(tenant);
    await sync(hr, [person('1', { employee_number: '1', email: 'smith@x.org' })]);
    await sync(ad, [person('a', { employee_number: '2', email: 'smith@x.org' })]);
    expect(await identities()).toHaveLength(2);
  });

  it('gives a machine its own identity with status orphaned until its owner is added, then links it to the owner', async () => {
    const machines = await fixture.connector(tenant, { records: 'machine_identity' });
    const hr = await fixture.connector(tenant);
    await sync(machines, [person('svc-backup', { email: 'ada@x.org', classification: 'service_account' })]);
    expect(await identities()).toMatchObject([
      { machine_identities: [{ display_name: 'svc-backup', status: 'orphaned' }] },
    ]);
    await sync(hr, [person('1', { email: 'ada@x.org' })]);
    expect(await identities()).toMatchObject([{ users: [{}], machine_identities: [{ status: 'active' }] }]);
    await sync(hr, [person('1', { email: 'ada@x.org', status: 'inactive' })]);
    expect(await identities()).toMatchObject([{ status: 'inactive', machine_identities: [{ status: 'orphaned' }] }]);
    expect(await eventTypes()).toEqual(expect.arrayContaining(['machine_identity.owner_changed', 'lifecycle.leaver']));
    expect(await counters()).toEqual({ 'identity inactive': 1, 'user inactive': 1 });
  });

  it('moves a machine to a new holder of its stronger key', async () => {
    const machines = await fixture.connector(tenant, { records: 'machine_identity' });
    const [hr, other] = [await fixture.connector(tenant), await fixture.connector(tenant)];
    await sync(hr, [person('1', { employee_number: '7', email: 'ada@x.org' })]);
    await sync(machines, [person('bot', { employee_number: '7', email: 'ada@x.org' })]);
    await sync(hr, [person('1', { email: 'ada@x.org' })]);
    expect(await identities()).toMatchObject([{ users: [{ external_id: '1' }], machine_identities: [{}] }]);
    await sync(other, [person('2', { employee_number: '7' })]);
    expect(await identities()).toMatchObject([
      { users: [{ external_id: '1' }], machine_identities: [] },
      { users: [{ external_id: '2' }], machine_identities: [{}] },
    ]);
  });

  it('sets the status pending for a user with a hire date in the future', async () => {
    const hr = await fixture.connector(tenant);
    const hired = { email: 'a@x.org', hire_date: '2030-01-01T00:00:00.000Z' };
    await sync(hr, [person('1', hired)], '2029-01-01T00:00:00.000Z');
    expect(await identities()).toMatchObject([{ status: 'pending' }]);
  });

  it('keeps the identity of a renamed user and releases the old email for another person', async () => {
    const hr = await fixture.connector(tenant);
    const ad = await fixture.connector(tenant);
    await sync(hr, [person('1', { email: 'old@x.org', last_name: 'Old' })]);
    const [before] = await identities();
    await sync(hr, [person('1', { email: 'new@x.org', last_name: 'New' })]);
    await sync(ad, [person('a', { email: 'old@x.org' }), person('b', { email: 'new@x.org' })]);
    const after = await identities();
    expect(after).toHaveLength(2);
    expect(after[0]).toMatchObject({ id: before?.id, users: [{ external_id: '1' }, { external_id: 'b' }] });
  });

  it('applies the last of two records with the same external id and reports the duplicate', async () => {
    const hr = await fixture.connector(tenant);
    await sync(hr, [person('1', { job_title: 'first' }), person('1', { job_title: 'second' })]);
    expect(await identities()).toMatchObject([{ attributes: [{ field_value: 'second' }] }]);
    const [row] = await fixture.rows<{ message: string }>(
      `select message from outbox where type = 'sync.batch.applied' and message like '%' || $1 || '%'`,
      [tenant],
    );
    expect(JSON.parse(row?.message ?? '').data.errors).toEqual([
      { external_id: '1', message: 'listed more than once by the source' },
    ]);
  });

  // With 120 records, a batch is written before it has the lock of the tenant's sequence.
  it.each([60, 120])('creates one identity when several sources add the same %i people concurrently', async (count) => {
    const people = Array.from({ length: count }, (_, i) =>
      person(`p${i}`, { email: `p${i}@x.org`, employee_number: `${i}` }),
    );
    const messages = await Promise.all(
      [0, 1, 2, 3].map(async (source) => {
        const connector = await fixture.connector(tenant);
        const turned = source % 2 === 0 ? people : [...people].reverse();
        return fixture.batch(tenant, connector, await fixture.job(tenant, connector), 0, turned);
      }),
    );
    await Promise.all(messages.map((message) => applyBatch(database, message)));
    const found = await identities();
    expect(found).toHaveLength(count);
    expect(found.every((each) => each.users.length === 4)).toBe(true);
    expect(await counters()).toEqual({ 'identity active': count, 'user active': 4 * count });
  });

  it.each([20, 120])('gives concurrent batches of %i records times in the order of their commits', async (count) => {
    const hr = await fixture.connector(tenant);
    const job = await fixture.job(tenant, hr);
    const batches = await Promise.all(
      Array.from({ length: 6 }, (_, part) => {
        const records = Array.from({ length: count }, (__, i) => person(`${part}-${i}`, { last_name: `${part}` }));
        return fixture.batch(tenant, hr, job, part, records);
      }),
    );
    await Promise.all(batches.map((message) => applyBatch(database, message)));
    const times = await fixture.rows<{ at: Date; transactions: number }>(
      `select occurred_at as at, count(distinct xmin::text)::int as transactions
         from events where tenant_id = $1 group by occurred_at order by min(sequence)`,
      [tenant],
    );
    expect(times.map(({ transactions }) => transactions)).toEqual([1, 1, 1, 1, 1, 1]);
    const inOrder = times.map(({ at }) => at.getTime());
    expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
  });

  it('writes a large batch again, with a later time, if another change has got its time meanwhile', async () => {
    const hr = await fixture.connector(tenant);
    const records = Array.from({ length: 120 }, (_, i) => person(`p${i}`, { email: `p${i}@x.org` }));
    const message = await fixture.batch(tenant, hr, await fixture.job(tenant, hr), 0, records);
    const times = new ProposedTimes();
    let applied: Promise<unknown> = Promise.resolve();
    const other = await database.transaction(tenant, async (locking) => {
      // The batch has proposed its time when it inserts its first record.
      await locking.query('lock table source_records in exclusive mode');
      applied = applyBatch(database, message, { times });
      await fixture.waitForBlockedLock();
      return database.transaction(tenant, (tx) => assignTime(tx));
    });
    await applied;
    const found = await identities();
    expect(found).toHaveLength(120);
    expect(found.every(({ updated_at }) => Date.parse(updated_at) > other.getTime())).toBe(true);
    expect(await counters()).toEqual({ 'identity active': 120, 'user active': 120 });
    expect(times.mayPropose(tenant)).toBe(false);
  });

  it('numbers the events of a tenant without gaps', async () => {
    const hr = await fixture.connector(tenant);
    const jobs = await Promise.all(
      [0, 1, 2].map(async (part) => {
        const records = Array.from({ length: 20 }, (_, i) => person(`${part}-${i}`, { email: `${part}.${i}@x.org` }));
        return fixture.batch(tenant, hr, await fixture.job(tenant, hr), part, records);
      }),
    );
    await Promise.all(jobs.map((message) => applyBatch(database, message)));
    const sequences = await fixture.rows<{ sequence: string }>(
      'select sequence from events where tenant_id = $1 order by sequence',
      [tenant],
    );
    expect(sequences.map((row) => Number(row.sequence))).toEqual(Array.from({ length: 180 }, (_, i) => i + 1));
  });
});

describe('a record that cannot be applied', () => {
  let connector: string;

  beforeEach(async () => {
    await directory.newTenant();
    connector = await directory.fixture.connector(directory.tenant);
  });

  const sound = (at: number) => row(`r${at}`, { email: `r${at}@x.org`, first_name: 'Ann' });
  /** PostgreSQL rejects NUL in text. */
  const poisoned = (at: number) => row(`r${at}`, { email: `r${at}@x.org`, first_name: 'A\0nn' });

  async function applied(job: string): Promise<Message<'sync.batch.applied'>['data'] | undefined> {
    const [answer] = await directory.fixture.rows<{ message: string }>(
      `select message from outbox where type = 'sync.batch.applied' and message::jsonb #>> '{data,job_id}' = $1`,
      [job],
    );
    return answer && (JSON.parse(answer.message) as Message<'sync.batch.applied'>).data;
  }

  async function apply(records: readonly SourceRecord[]): Promise<Message<'sync.batch.applied'>['data'] | undefined> {
    const { fixture, tenant, database } = directory;
    const job = await fixture.job(tenant, connector, 'running');
    try {
      await applyBatch(database, await fixture.batch(tenant, connector, job, 0, records));
      expect(await directoryFaults(fixture, tenant)).toEqual([]);
    } finally {
      await fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job]);
    }
    return applied(job);
  }

  const there = async () =>
    (
      await directory.fixture.rows<{ external_id: string }>(
        `select external_id from source_records where tenant_id = $1 and status = 'active' order by length(external_id), external_id`,
        [directory.tenant],
      )
    ).map(({ external_id }) => external_id);

  it('is skipped and reported with its reason, and all others of its batch are applied', async () => {
    const records = [...Array(40).keys()].map((at) => ([3, 4, 39].includes(at) ? poisoned(at) : sound(at)));
    const answer = await apply(records);
    expect(answer).toMatchObject({ created: 37, updated: 0, unchanged: 0 });
    const message = expect.stringContaining('could not be applied: ');
    expect(answer?.errors).toEqual(['r3', 'r4', 'r39'].map((external_id) => ({ external_id, message })));
    expect(await there()).toEqual(
      records.map((each) => each.external_id).filter((id) => !['r3', 'r4', 'r39'].includes(id)),
    );
  });

  it('leaves the directory as if its source had not listed it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 12 }), async (bad) => {
        await directory.newTenant();
        connector = await directory.fixture.connector(directory.tenant);
        const answer = await apply([...Array(12).keys()].map((at) => (bad.includes(at) ? poisoned(at) : sound(at))));
        expect(answer?.errors.map(({ external_id }) => external_id).sort()).toEqual(bad.map((at) => `r${at}`).sort());
        expect(await there()).toHaveLength(12 - bad.length);
      }),
      { numRuns: 15 },
    );
  });

  it('is skipped if its external id exceeds the index limit', async () => {
    const id = [...Array(1_000).keys()].map((at) => String.fromCodePoint(0x20000 + ((at * 7_919) % 40_000))).join('');
    const answer = await apply([sound(1), row(id, { email: 'long@x.org' })]);
    expect(answer).toMatchObject({ created: 1, errors: [{ external_id: id }] });
  });

  it('keeps its previous values and is not deleted by the sweep', async () => {
    await apply([sound(1), sound(2), sound(3)]);
    const job = await appliedRun(directory, connector, [[sound(1), poisoned(2)]]);
    const errors = (await applied(job))?.errors ?? [];
    await directory.fixture.rows(
      `insert into sync_record_errors (job_id, id, tenant_id, external_id, message)
       values ($1, gen_random_uuid(), $2, $3, 'left out')`,
      [job, directory.tenant, errors[0]?.external_id],
    );
    await directory.fixture.rows('update sync_jobs set records_applied = 1, records_failed = 1 where id = $1', [job]);
    await sweep(directory, job);
    expect(await there()).toEqual(['r1', 'r2']);
  });

  it('is not isolated when no record of a large batch can be applied', async () => {
    const records = [...Array(300).keys()].map(poisoned);
    await expect(apply(records)).rejects.toThrow();
    expect(await there()).toEqual([]);
  });
});
