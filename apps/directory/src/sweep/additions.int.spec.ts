import { defaultMatchingRules, type SourceRecord } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, examplesOf, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';

const harness = Harness.ofFile();
let hr: string;

beforeEach(async () => {
  await harness.newTenant();
  hr = await harness.fixture.connector(harness.tenant);
});

type Values = Record<string, string>;

/** People `from` to `to`, whose values `give` returns. */
const people = (from: number, to: number, give: (n: number) => Values & { id?: string }): SourceRecord[] =>
  Array.from({ length: to - from }, (_, at) => {
    const { id = `p${from + at}`, ...values } = give(from + at);
    return row(id, values);
  });

const letter = (n: number) => String.fromCharCode(97 + n);
/** A name that no other number has, without a digit. */
const word = (n: number) => `${letter(n % 26)}${letter(Math.floor(n / 26))}`;
const name = (n: number) => ({ first_name: `Ann${word(n)}`, last_name: `Lee${word(n)}` });
const numbered = (n: number) => ({ ...name(n), employee_number: `E${n}` });
const rekeyed = (n: number) => ({ ...numbered(n), id: `new${n}` });

async function run(records: SourceRecord[] | SourceRecord[][], options: RunOptions = {}): Promise<string> {
  const batches = Array.isArray(records[0]) ? (records as SourceRecord[][]) : [records as SourceRecord[]];
  const job = await wholeRun(harness, hr, batches, options);
  const [last] = (await answers(harness, job)).slice(-1);
  await endJob(harness, job, last?.type === 'sync.sweep.ended' ? 'completed' : 'quarantined');
  return job;
}

/** Imports a source for the first time, as the sync-worker records it. */
async function imported(records: SourceRecord[]): Promise<void> {
  await run(records);
  await harness.fixture.rows(
    'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
    [hr, harness.tenant],
  );
}

async function release(job: string): Promise<void> {
  await harness.fixture.rows(
    `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
    [job],
  );
  await sweep(harness, job);
  await endJob(harness, job);
}

async function counted(sql: string, values: unknown[]): Promise<Record<string, number>> {
  const rows = await harness.fixture.rows<{ name: string; count: number }>(sql, values);
  return Object.fromEntries(rows.map((each) => [each.name, each.count]));
}

const statuses = () =>
  counted('select status as name, count(*)::int from identities where tenant_id = $1 group by 1', [harness.tenant]);
const eventsOf = (job: string) =>
  counted('select type as name, count(*)::int from events where tenant_id = $1 and job_id = $2 group by 1', [
    harness.tenant,
    job,
  ]);
const planOf = async (job: string) => {
  const [plan] = await harness.fixture.rows<{ state: string; note: string | null; reasons: object[] }>(
    'select state, note, reasons from sync_plans where job_id = $1',
    [job],
  );
  return plan;
};
describe('a run that gives people an end within a day', () => {
  it('is held as one that disables them, its plan names the time, and a later end is no disable', async () => {
    await imported(people(0, 30, numbered));
    const ending = (hours: number) =>
      people(0, 30, (n) => ({
        ...numbered(n),
        ...(n < 8 && { termination_date: new Date(Date.now() + hours * 3_600_000).toISOString() }),
      }));
    const job = await run(ending(1));
    expect(await planOf(job)).toMatchObject({ state: 'held', reasons: [{ rule: 'disabled', count: 8, of: 30 }] });
    const [entry] = await harness.fixture.rows<{ changes: { field: string; to: string }[] }>(
      `select changes from sync_plan_entries where job_id = $1 and action = 'disable' limit 1`,
      [job],
    );
    expect(entry?.changes).toContainEqual(
      expect.objectContaining({ field: 'status', from: 'active', to: expect.stringMatching(/^inactive from 20/) }),
    );
    await release(job);
    expect(await statuses()).toEqual({ active: 30 });
    expect(await planOf(await run(ending(1)))).toMatchObject({ state: 'done', reasons: [] });
  });

  it('applies as many later ends as changes', async () => {
    await imported(people(0, 30, numbered));
    const later = new Date(Date.now() + 72 * 3_600_000).toISOString();
    const job = await run(people(0, 30, (n) => ({ ...numbered(n), ...(n < 8 && { termination_date: later }) })));
    expect(await planOf(job)).toMatchObject({ state: 'done', reasons: [] });
  });
});

describe('a source that gives every person a new id', () => {
  it.each([15, 100])('keeps %i people with their employee numbers, without events about identities', async (count) => {
    await imported(people(0, count, numbered));
    const before = await harness.record('p3');
    const job = await run(people(0, count, rekeyed));
    expect(await planOf(job)).toMatchObject({ state: 'done', reasons: [] });
    expect(await eventsOf(job)).toEqual({ 'user.updated': count });
    expect(await statuses()).toEqual({ active: count });
    const after = await harness.record('new3');
    expect([after.id, after.identity_id]).toEqual([before.id, before.identity_id]);
  });

  it('keeps them also if several employments are several people', async () => {
    await harness.operate('rules.change', {
      rules: { ...defaultMatchingRules, several_employments: 'case' },
      preview: false,
    });
    await imported(people(0, 15, numbered));
    const job = await run(people(0, 15, rekeyed));
    expect(await eventsOf(job)).toEqual({ 'user.updated': 15 });
  });

  it('keeps them in an incremental run that reports the old ids as removed', async () => {
    await imported(people(0, 15, numbered));
    const removed = Array.from({ length: 15 }, (_, n) => ({
      external_id: `p${n}`,
      fields: {},
      removed: true as const,
    }));
    const job = await run([people(0, 15, rekeyed), removed], { mode: 'changes' });
    expect(await eventsOf(job)).toEqual({ 'user.updated': 15 });
    expect(await statuses()).toEqual({ active: 15 });
  });

  it('reports a change of the same run with the new id', async () => {
    await imported(people(0, 3, numbered));
    const job = await run(people(0, 3, (n) => ({ ...rekeyed(n), ...(n === 1 && { job_title: 'Chief' }) })));
    expect(await eventsOf(job)).toEqual({ 'user.updated': 3, 'lifecycle.mover': 1, 'identity.updated': 1 });
    expect((await harness.record('new1')).fields).toMatchObject({ job_title: ['Chief'] });
  });

  it('gives the contracts of a person to the new ids in their order, if there are more of them', async () => {
    const contract = (id: string) => row(id, { ...numbered(0), job_title: id });
    await imported(['old1', 'old2'].map(contract));
    const before = [await harness.record('old1'), await harness.record('old2')].map(({ id }) => id);
    await run(['new3', 'new2', 'new1'].map(contract));
    const after = [await harness.record('new1'), await harness.record('new2'), await harness.record('new3')];
    expect(after.map(({ id }) => before.indexOf(id))).toEqual([0, 1, -1]);
  });

  it('gets the old ids back by an undo of the job', async () => {
    await imported(people(0, 15, numbered));
    const before = await harness.record('p3');
    const job = await run(people(0, 15, rekeyed));
    const { result } = await harness.operate('job.undo', { job_id: job, preview: false });
    expect(result).toMatchObject({ records_restored: 15, records_removed: 0 });
    expect((await harness.record('p3')).id).toBe(before.id);
    expect(await statuses()).toEqual({ active: 15 });
  });

  it('keeps the new id after an undo where another person has the old one in the meantime', async () => {
    await imported(people(0, 3, numbered));
    const [first, second] = [await harness.record('p0'), await harness.record('p1')];
    const job = await run(people(0, 3, rekeyed));
    await run([...people(0, 3, rekeyed), ...people(9, 10, (n) => ({ ...numbered(n), id: 'p1' }))]);
    await harness.operate('job.undo', { job_id: job, preview: false });
    expect([(await harness.record('p0')).id, (await harness.record('new1')).id]).toEqual([first.id, second.id]);
    expect((await harness.record('p1')).fields).toMatchObject({ employee_number: ['E9'] });
  });

  it('is held if the same run disables too many of them', async () => {
    await imported(people(0, 30, numbered));
    const job = await run(people(0, 30, (n) => ({ ...rekeyed(n), status: 'inactive' })));
    expect(await planOf(job)).toMatchObject({ state: 'held', reasons: [{ rule: 'disabled', count: 30, of: 30 }] });
    expect(await statuses()).toEqual({ active: 30 });
    await run(people(0, 30, (n) => ({ ...rekeyed(n), status: 'inactive' })));
    expect(await statuses()).toEqual({ active: 30 });
    await release(job);
    expect(await statuses()).toEqual({ inactive: 30 });
    expect((await harness.record('new3')).status).toBe('inactive');
  });

  it('keeps the old ids of people that a later incremental run lists under these', async () => {
    await imported(people(0, 100, numbered));
    const job = await run([...people(0, 50, rekeyed), ...people(50, 100, numbered), ...people(200, 230, numbered)]);
    expect(await planOf(job)).toMatchObject({ state: 'held', reasons: [{ rule: 'created' }] });
    await run(
      people(0, 1, (n) => ({ ...numbered(n), job_title: 'Chief' })),
      { mode: 'changes' },
    );
    await release(job);
    expect((await harness.record('p0')).fields).toMatchObject({ job_title: ['Chief'] });
    expect((await harness.record('new1')).status).toBe('active');
  });

  it('can be applied from the plan of a dry run', async () => {
    await imported(people(0, 15, numbered));
    const job = await run(people(0, 15, rekeyed), { dryRun: true });
    const { status, result } = await harness.operate('plan.apply', { job_id: job });
    expect([status, result]).toEqual(['done', { records_created: 0, records_updated: 15, records_deleted: 0 }]);
    expect(await eventsOf(job)).toEqual({ 'user.updated': 15 });
  });

  it('gives machines the owners that they name by the new ids', async () => {
    const bots = await harness.fixture.connector(harness.tenant, { records: 'machine_identity' });
    await imported(people(0, 3, numbered));
    await harness.sync(bots, [row('bot', { owned_by: 'new1' })]);
    await run(people(0, 3, rekeyed));
    const [bot] = await harness.fixture.rows<{ owner: string }>(
      `select machine -> 'people' ->> 'owned_by' as owner from source_records where connector_id = $1`,
      [bots],
    );
    expect(bot?.owner).toBe((await harness.record('new1')).identity_id);
  });

  it('does not give the record of a person to a relative with the same number', async () => {
    await imported([row('a', { employee_number: 'E1', first_name: 'Jan', last_name: 'Mueller' })]);
    await run([row('b', { employee_number: 'E1', first_name: 'Ute', last_name: 'Mueller' })]);
    expect((await harness.record('a')).status).toBe('deleted');
    expect((await harness.record('b')).status).toBe('active');
  });

  it('adds a second employment if the first one is still listed', async () => {
    await imported(people(0, 3, numbered));
    await run([...people(0, 3, numbered), ...people(1, 2, rekeyed)]);
    const [first, second] = [await harness.record('p1'), await harness.record('new1')];
    expect(second.id).not.toBe(first.id);
    expect(second.identity_id).toBe(first.identity_id);
  });

  it('is held before anyone is created if only the addresses are the same', async () => {
    const listed = (n: number) => ({ ...numbered(n), email: `p${n}@example.org` });
    await imported(people(0, 15, listed));
    const job = await run(people(0, 15, (n) => ({ ...listed(n), id: `new${n}`, employee_number: `N${n}` })));
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      note: 'quarantined: the run would replace 15 of 15 records by new ids with the same email, more than 10 % and more than 5',
      reasons: [{ rule: 'rekeyed', field: 'email', count: 15, of: 15 }],
    });
    expect(await examplesOf(harness, job)).toEqual([['p0 → new0', 'p1 → new1', 'p2 → new2', 'p3 → new3', 'p4 → new4']]);
    expect(await eventsOf(job)).toEqual({});
    expect(await statuses()).toEqual({ active: 15 });
    await endJob(harness, job, 'cancelled');
    await run(people(0, 15, listed));
    expect(await statuses()).toEqual({ active: 15 });
  });

  it('is held in an incremental run too, which cannot know that the old ids are gone', async () => {
    const listed = (n: number) => ({ ...name(n), email: `p${n}@example.org` });
    const restored = (n: number) => ({ ...listed(n), id: `new${n}` });
    await imported(people(0, 40, listed));
    await run(people(0, 5, restored), { mode: 'changes' });
    expect(await statuses()).toEqual({ active: 45 });
    const job = await run(people(5, 13, restored), { mode: 'changes' });
    expect(await planOf(job)).toMatchObject({ reasons: [{ rule: 'rekeyed', field: 'email', count: 8, of: 45 }] });
    expect(await examplesOf(harness, job)).toEqual([['p5 → new5', 'p6 → new6', 'p7 → new7', 'p8 → new8', 'p9 → new9']]);
    expect(await eventsOf(job)).toEqual({});
    await release(job);
    expect(await statuses()).toEqual({ active: 53 });
  });

  it('is held before anyone is created if nothing is the same', async () => {
    await imported(people(0, 30, numbered));
    const job = await run(people(30, 60, numbered));
    expect(await planOf(job)).toMatchObject({ reasons: [{ rule: 'deleted' }, { rule: 'created', count: 30, of: 30 }] });
    expect(await eventsOf(job)).toEqual({});
    await release(job);
    expect(await statuses()).toEqual({ active: 30, deleted: 30 });
  });
});

describe('a held plan', () => {
  it('contains nothing of an erased person, neither of a new id with the same address', async () => {
    const listed = (n: number) => ({ ...name(n), email: `p${n}@example.org` });
    await imported(people(0, 15, listed));
    const held = await run(people(0, 15, (n) => ({ ...listed(n), id: `new${n}` })));
    const identity = (await harness.record('p3')).identity_id;
    await harness.operate('identity.erase', { identity_id: identity });
    const left = await harness.fixture.rows<{ external_id: string }>(
      `select external_id from sync_plan_entries where job_id = $1 and external_id in ('p3', 'new3', 'p4', 'new4')`,
      [held],
    );
    expect(left.map(({ external_id }) => external_id).sort()).toEqual(['new4', 'p4']);
  });
});

describe('a run that creates many people', () => {
  it('is not held in the first import, nor if the source was empty', async () => {
    await imported([]);
    await run(people(0, 100, numbered));
    expect(await statuses()).toEqual({ active: 100 });
  });

  it('is held above both bounds, and creates no one before it is released', async () => {
    await imported(people(0, 100, numbered));
    const job = await run(people(0, 121, numbered));
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      note: 'quarantined: the run would create 21 records beside 100, more than 20 % and more than 20',
    });
    expect([await statuses(), await eventsOf(job)]).toEqual([{ active: 100 }, {}]);
    await release(job);
    expect(await statuses()).toEqual({ active: 121 });
    expect(await eventsOf(job)).toMatchObject({ 'identity.created': 21, 'lifecycle.joiner': 21 });
  });

  it('is not held at the bound, nor with a percentage of 100', async () => {
    await imported(people(0, 100, numbered));
    await run(people(0, 120, numbered));
    expect(await statuses()).toEqual({ active: 120 });
    await harness.fixture.rows(`update connectors set safeguard = '{"max_created_percent": 100}' where id = $1`, [hr]);
    await run(people(0, 300, numbered));
    expect(await statuses()).toEqual({ active: 300 });
  });

  it('is not held for pushed people', async () => {
    await harness.fixture.rows(`update connectors set type = 'scim-push' where id = $1`, [hr]);
    await imported(people(0, 21, numbered));
    await run(people(0, 120, numbered));
    expect(await statuses()).toEqual({ active: 120 });
  });

  it('creates a person that two batches list once, with the values of the later one', async () => {
    await imported(people(0, 3, numbered));
    const [early, late] = ['Early', 'Late'].map((job_title) =>
      people(3, 4, (n) => ({ ...numbered(n), job_title })),
    ) as [SourceRecord[], SourceRecord[]];
    await run([[...people(0, 3, numbered), ...early], late], { order: [1, 0] });
    expect(await statuses()).toEqual({ active: 4 });
    expect((await harness.record('p3')).fields).toMatchObject({ job_title: ['Late'] });
  });

  it.each([[[0, 1]], [[1, 0]]])(
    'has the values from before the run of a person whom batches %j list twice while the job is held',
    async (order) => {
      await imported(people(0, 3, (n) => ({ ...numbered(n), job_title: 'Clerk' })));
      const listed = (n: number) => ({ ...numbered(n), job_title: 'Chief' });
      const late = people(0, 1, (n) => ({ ...listed(n), last_name: 'Berg' }));
      const job = await run([[...people(0, 1, listed), ...people(3, 40, numbered)], late], { order });
      expect(await planOf(job)).toMatchObject({ state: 'held' });
      expect((await harness.record('p0')).fields).toMatchObject({
        job_title: ['Clerk'],
        last_name: [name(0).last_name],
      });
      await release(job);
      expect((await harness.record('p0')).fields).toMatchObject({ job_title: ['Chief'], last_name: ['Berg'] });
    },
  );

  it('keeps the values of an earlier run while it is held', async () => {
    const titled = (job_title: string) => (n: number) => ({ ...numbered(n), ...(n === 0 && { job_title }) });
    await imported(people(0, 3, titled('Clerk')));
    await run(people(0, 3, titled('Chief')));
    const renamed = (n: number) => ({ ...titled('Chief')(n), ...(n === 0 && { last_name: 'Berg' }) });
    const job = await run([...people(0, 3, renamed), ...people(3, 40, numbered)]);
    expect(await planOf(job)).toMatchObject({ state: 'held' });
    expect((await harness.record('p0')).fields).toMatchObject({
      job_title: ['Chief'],
      last_name: [name(0).last_name],
    });
    await release(job);
    expect((await harness.record('p0')).fields).toMatchObject({ job_title: ['Chief'], last_name: ['Berg'] });
  });

  it('adds and renames people at once if only the deletions of the run are too many', async () => {
    await imported(people(0, 100, numbered));
    const renamed = (n: number) => ({ ...numbered(n), ...(n === 0 && { last_name: 'Berg' }) });
    const held = await run([...people(0, 75, renamed), ...people(100, 103, numbered), ...people(74, 75, rekeyed)]);
    expect(await planOf(held)).toMatchObject({ state: 'held', reasons: [{ rule: 'deleted', count: 25 }] });
    expect(await statuses()).toEqual({ active: 103 });
    expect((await harness.record('p0')).fields).toMatchObject({ last_name: ['Berg'] });
    await run([...people(0, 75, renamed), ...people(100, 104, numbered)]);
    expect(await statuses()).toEqual({ active: 104 });
    await release(held);
    expect(await statuses()).toEqual({ active: 79, deleted: 25 });
  });

  it('leaves the plan of another held job if the ids are as before again', async () => {
    await imported(people(0, 100, numbered));
    const held = await run([...people(0, 50, rekeyed), ...people(50, 75, numbered), ...people(200, 230, numbered)]);
    expect(await planOf(held)).toMatchObject({ state: 'held', reasons: [{ rule: 'deleted' }, { rule: 'created' }] });
    await run(people(0, 100, numbered));
    await release(held);
    expect(await statuses()).toEqual({ active: 100 });
    expect((await harness.record('p0')).status).toBe('active');
  });

  it('keeps its plan while later runs list them, and leaves out those who are no longer listed', async () => {
    await imported(people(0, 100, numbered));
    const held = await run(people(0, 130, numbered));
    const later = await run(people(0, 125, numbered));
    expect(await statuses()).toEqual({ active: 100 });
    expect((await planOf(later))?.note).toMatch(/^new people and changes wait for the decision about job_/);
    await release(held);
    expect(await statuses()).toEqual({ active: 125 });
  });
});

describe('a run that changes a field of many people', () => {
  const blank = (n: number) => ({ first_name: name(n).first_name, employee_number: `E${n}` });

  it('is held if it clears their surnames, and says so for each field', async () => {
    await imported(people(0, 100, numbered));
    const job = await run(people(0, 100, (n) => ({ ...blank(n), ...(n < 30 && { first_name: 'X' }) })));
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      reasons: [
        { rule: 'changed', field: 'last_name', count: 100, of: 100 },
        { rule: 'changed', field: 'first_name', count: 30, of: 100 },
      ],
    });
    expect(await eventsOf(job)).toEqual({});
    expect((await harness.record('p7')).fields).toMatchObject({ last_name: [name(7).last_name] });
    await release(job);
    expect((await harness.record('p7')).fields).not.toHaveProperty('last_name');
    expect(await eventsOf(job)).toMatchObject({ 'user.updated': 100 });
  });

  it('is held if it gives the addresses of a small company to other people', async () => {
    const addressed = (shift: number) => (n: number) => ({ ...numbered(n), email: `p${(n + shift) % 15}@example.org` });
    await imported(people(0, 15, addressed(0)));
    const job = await run(people(0, 15, addressed(1)));
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      reasons: [{ rule: 'changed', field: 'email', count: 15, of: 15, max_percent: 50, max_records: 5 }],
    });
    expect((await harness.record('p7')).fields).toMatchObject({ email: ['p7@example.org'] });
  });

  it('is held if it clears the addresses and numbers of a third of a company', async () => {
    const keyed = (n: number) => ({ ...numbered(n), email: `p${n}@example.org` });
    await imported(people(0, 60, keyed));
    const job = await run([...people(0, 20, name), ...people(20, 60, keyed)]);
    const text = (field: string) => `clear ${field} in 20 of 60 records, more than 25 % and more than 5`;
    expect(await planOf(job)).toMatchObject({
      state: 'held',
      reasons: ['email', 'employee_number'].map((field) => ({ rule: 'changed', field, count: 20, text: text(field) })),
    });
    expect((await harness.record('p7')).fields).toMatchObject({ email: ['p7@example.org'], employee_number: ['E7'] });
  });

  it('is not held for a field that identifies no person, nor for values where there were none', async () => {
    await imported(people(0, 100, numbered));
    await run(people(0, 100, (n) => ({ ...numbered(n), job_title: 'Clerk', email: `p${n}@example.org` })));
    expect((await harness.record('p7')).fields).toMatchObject({ job_title: ['Clerk'], email: ['p7@example.org'] });
    const job = await run(people(0, 100, (n) => ({ ...numbered(n), job_title: 'Chief', email: `p${n}@example.org` })));
    expect(await planOf(job)).toMatchObject({ state: 'done' });
  });

  it('uses the fields of the connector', async () => {
    await harness.fixture.rows(`update connectors set safeguard = '{"changed_fields": ["job_title"]}' where id = $1`, [
      hr,
    ]);
    await imported(people(0, 100, (n) => ({ ...numbered(n), job_title: 'Clerk' })));
    const job = await run(people(0, 100, (n) => ({ ...blank(n), job_title: 'Chief' })));
    expect(await planOf(job)).toMatchObject({ reasons: [{ rule: 'changed', field: 'job_title', count: 100 }] });
  });

  it('leaves the held plan when a later run lists the stored values again', async () => {
    await imported(people(0, 100, numbered));
    const held = await run(people(0, 100, blank));
    await run([...people(0, 60, numbered), ...people(60, 100, blank)]);
    await release(held);
    expect((await harness.record('p59')).fields).toHaveProperty('last_name');
    expect((await harness.record('p60')).fields).not.toHaveProperty('last_name');
  });
});
