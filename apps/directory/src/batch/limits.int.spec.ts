import { recordLimits, type SourceRecord, volumeLimits } from '@idsync/contracts';
import { lockReferences } from '@idsync/database/directory';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { answers, appliedRun, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';
import { applyBatch } from './apply-batch.js';

const directory = Harness.ofFile();

describe('large records', () => {
  beforeEach(() => directory.newTenant());

  /** About the maximum size of a record, with few values. */
  const large = (id: string, mail: string): SourceRecord => ({
    external_id: id,
    fields: { email: [mail], 'attributes.notes': Array.from({ length: 15 }, (_, at) => `${at}`.padEnd(16_000, 'x')) },
  });
  const small = (id: string, mail: string): SourceRecord => ({ external_id: id, fields: { email: [mail] } });
  const errorsOf = async (job: string) => {
    const [answer] = await directory.fixture.rows<{ message: string }>(
      `select message from outbox where type = 'sync.batch.applied' and message::jsonb #>> '{data,job_id}' = $1`,
      [job],
    );
    return JSON.parse(answer?.message ?? '{}').data as { created: number; updated: number; errors: object[] };
  };

  describe('a batch', () => {
    it('is applied completely, in parts, when its changed records exceed the load limit', async () => {
      const connector = await directory.fixture.connector(directory.tenant);
      const all = Array.from({ length: 60 }, (_, at) => at);
      expect(60 * recordLimits.bytes * 0.9).toBeGreaterThan(volumeLimits.loadWeight / 2);
      for (const from of [0, 30]) {
        const some = all.slice(from, from + 30);
        await directory.sync(
          connector,
          some.map((at) => large(`r${at}`, `r${at}@x.org`)),
        );
      }
      const job = await directory.sync(
        connector,
        all.map((at) => small(`r${at}`, `r${at}@x.org`)),
      );
      expect(await errorsOf(job)).toMatchObject({ created: 0, updated: 60, errors: [] });
      const accounts = await directory.fixture.connector(directory.tenant, { records: 'account' });
      const linked = await directory.sync(
        accounts,
        all.map((at) => small(`a${at}`, `r${at}@x.org`)),
      );
      expect(await errorsOf(linked)).toMatchObject({ created: 60, errors: [] });
      expect(await directory.people()).toHaveLength(60);
      expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
    });
  });

  describe('a record', () => {
    it('does not join an identity that would exceed the weight limit, and does not prevent others from joining', async () => {
      const connector = await directory.fixture.connector(directory.tenant, { records: 'account' });
      const people = await directory.fixture.connector(directory.tenant);
      await directory.sync(people, [small('ann', 'ann@x.org'), small('bob', 'bob@x.org')]);
      const fitting = Math.floor(volumeLimits.identityWeight / (15 * 16_256 + 1_024 + 300)) - 1;
      const accounts = Array.from({ length: fitting + 3 }, (_, at) => large(`a${at}`, 'ann@x.org'));
      let errors: object[] = [];
      for (let from = 0; from < accounts.length; from += 30) {
        const some = [...accounts.slice(from, from + 30), small(`b${from}`, 'bob@x.org')];
        errors = errors.concat((await errorsOf(await directory.sync(connector, some))).errors);
      }
      const message = expect.stringMatching(
        /^could not be applied: the \d+ records of its identity would take .* are allowed$/,
      );
      expect(errors.length).toBeGreaterThan(0);
      expect(errors).toEqual(accounts.slice(-errors.length).map(({ external_id }) => ({ external_id, message })));
      const sizes = (await directory.people()).map((names) => names.length).sort((a, b) => a - b);
      expect(sizes).toEqual([1 + Math.ceil(accounts.length / 30), 1 + accounts.length - errors.length]);
      const grown = await directory.fixture.rows<{ bytes: number }>(
        'select octet_length(document) as bytes from identities',
      );
      const most = volumeLimits.attributeBytes + volumeLimits.nestedBytes + 10_000;
      expect(Math.max(...grown.map(({ bytes }) => bytes))).toBeLessThan(most);
    });
  });
});

describe('a quota of people', () => {
  let hr: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant);
  });

  const limit = (people: number) =>
    directory.fixture.rows(
      `insert into tenant_quotas (tenant_id, quotas, updated_at) values ($1, jsonb_build_object('people', $2::int), now())
     on conflict (tenant_id) do update set quotas = excluded.quotas`,
      [directory.tenant, people],
    );
  const name = (n: number) => String.fromCharCode(97 + n);
  const people = (from: number, to: number, values: Record<string, string> = {}): SourceRecord[] =>
    Array.from({ length: to - from }, (_, at) =>
      row(`p${from + at}`, { first_name: `Ann${name(from + at)}`, last_name: `Lee${name(from + at)}`, ...values }),
    );

  async function run(records: SourceRecord[], options: RunOptions = {}): Promise<string> {
    const job = await wholeRun(directory, hr, [records], options);
    await endJob(directory, job, 'completed');
    return job;
  }

  /** Marks the source as completely read, so that new users wait for the sweep. */
  const imported = () =>
    directory.fixture.rows(
      'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
      [hr, directory.tenant],
    );

  async function live(): Promise<string[]> {
    const rows = await directory.fixture.rows<{ id: string }>(
      `select external_id as id from source_records where tenant_id = $1 and status <> 'deleted' order by 1`,
      [directory.tenant],
    );
    return rows.map(({ id }) => id);
  }

  /** Records that a job reports as left out. */
  async function leftOut(job: string): Promise<string[]> {
    const rows = await directory.fixture.rows<{ id: string }>(
      `select e ->> 'external_id' as id from outbox, jsonb_array_elements(message::jsonb #> '{data,errors}') as e
      where type in ('sync.batch.applied', 'sync.sweep.ended') and message::jsonb #>> '{data,job_id}' = $1
        and e ->> 'message' like 'a new user beyond the quota of % people of the tenant' order by 1`,
      [job],
    );
    return rows.map(({ id }) => id);
  }

  describe('a run of a tenant with a quota of people', () => {
    it('leaves out new users beyond it in a first import, and reports them', async () => {
      await limit(3);
      const job = await run(people(0, 5));
      expect(await live()).toEqual(['p0', 'p1', 'p2']);
      expect(await leftOut(job)).toEqual(['p3', 'p4']);
    });

    it('applies changes and deletions, and leaves out only new users', async () => {
      await limit(6);
      await run(people(0, 6));
      await imported();
      const listed = [...people(1, 6, { job_title: 'Chief', email: 'x@example.org' }), ...people(6, 8)];
      const job = await run(listed);
      const stored = await live();
      expect(stored).toHaveLength(6);
      expect(stored).toEqual(expect.arrayContaining(['p1', 'p2', 'p3', 'p4', 'p5']));
      expect((await directory.record('p5')).fields).toMatchObject({ job_title: ['Chief'] });
      expect((await directory.record('p0')).status).toBe('deleted');
      expect(await leftOut(job)).toHaveLength(1);
      expect((await answers(directory, job)).map(({ type }) => type)).toEqual(['sync.sweep.ended']);
    });

    it('adds them in the next run after the quota was raised', async () => {
      await limit(2);
      await run(people(0, 4));
      await imported();
      await run(people(0, 4));
      expect(await live()).toHaveLength(2);
      await limit(4);
      const job = await run(people(0, 4));
      expect(await live()).toEqual(['p0', 'p1', 'p2', 'p3']);
      expect(await leftOut(job)).toEqual([]);
    });

    it('does not exceed it with concurrent batches', async () => {
      await limit(10);
      const job = await directory.fixture.job(directory.tenant, hr, 'running');
      const batches = [people(0, 8), people(8, 16), people(16, 24)];
      const messages = await Promise.all(
        batches.map((records, seq) => directory.fixture.batch(directory.tenant, hr, job, seq, records)),
      );
      await Promise.all(messages.map((message) => applyBatch(directory.database, message)));
      expect(await live()).toHaveLength(10);
      expect(await leftOut(job)).toHaveLength(14);
    });

    it('lets a sweep that deletes wait for concurrent changes of people, which it does not without a quota', async () => {
      await run(people(0, 5));
      for (const [quota, present] of [
        [undefined, 4],
        [10, 3],
      ] as const) {
        if (quota !== undefined) await limit(quota);
        const job = await appliedRun(directory, hr, [people(0, present)]);
        let swept: Promise<void> | undefined;
        await directory.database.transaction(directory.tenant, async (tx) => {
          await lockReferences(tx, 'shared');
          swept = sweep(directory, job);
          await (quota === undefined ? swept : directory.fixture.waitForBlockedLock());
        });
        await swept;
        await endJob(directory, job);
      }
      expect(await live()).toEqual(['p0', 'p1', 'p2']);
    });

    it('counts a deleted user who is listed again as a new one', async () => {
      await limit(2);
      await run(people(0, 2));
      await directory.fixture.rows(`update connector_states set complete_as_of = null where connector_id = $1`, [hr]);
      await run(people(1, 2));
      await run(people(1, 3));
      expect(await live()).toEqual(['p1', 'p2']);
      const job = await run(people(0, 3));
      expect(await live()).toEqual(['p1', 'p2']);
      expect(await leftOut(job)).toEqual(['p0']);
    });
  });

  describe('the plan of a dry run', () => {
    it('is refused as a whole if it would exceed the quota', async () => {
      await limit(3);
      await run(people(0, 2));
      await imported();
      const job = await run(people(0, 5), { dryRun: true });
      const { status, result } = await directory.operate('plan.apply', { job_id: job, reason: 'reviewed' });
      expect([status, result]).toEqual([
        'refused',
        { error: 'the plan creates 3 users beside 2, and the quota of the tenant is 3 people' },
      ]);
      await limit(5);
      expect((await directory.operate('plan.apply', { job_id: job, reason: 'reviewed' })).status).toBe('done');
      expect(await live()).toHaveLength(5);
    });
  });
});
