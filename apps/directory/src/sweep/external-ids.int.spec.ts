import type { SourceRecord } from '@idsync/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { answers, endJob, type RunOptions, sweep, wholeRun } from '../../test/whole-run.js';

const directory = Harness.ofFile();
let hr: string;

describe('reused ids', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant);
  });

  afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));

  const other = row('2', { employee_number: '20', display_name: 'Eve Moor', email: 'eve@x.org' });
  const ann = row('1', { employee_number: '17', display_name: 'Ann Lee', email: 'ann@x.org' });
  const karl = row('1', { employee_number: '18', display_name: 'Karl Berg', email: 'karl@x.org' });

  async function run(records: SourceRecord[]): Promise<string> {
    const job = await wholeRun(directory, hr, [records]);
    if ((await answers(directory, job)).at(-1)?.type === 'sync.sweep.ended') await endJob(directory, job);
    return job;
  }

  async function release(job: string): Promise<void> {
    await directory.fixture.rows(
      `update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`,
      [job],
    );
    await sweep(directory, job);
    await endJob(directory, job);
  }

  const shown = async () => {
    const rows = await directory.fixture.rows<{ text: string }>(
      `select regexp_replace(external_id, 'usr_[^)]+', 'usr') || ' ' || status || ' ' || (fields -> 'display_name' ->> 0) as text
       from source_records where tenant_id = $1 order by id`,
      [directory.tenant],
    );
    return rows.map(({ text }) => text);
  };

  describe('a first run that lists two people under one external id', () => {
    it('creates the one whose row counts', async () => {
      await wholeRun(directory, hr, [[ann, other], [karl]]);
      expect(await shown()).toEqual(['1 active Karl Berg', '2 active Eve Moor']);
    });
  });

  describe('a run that lists another person under a known external id', () => {
    it('is quarantined and changes nothing', async () => {
      await run([ann, other]);
      const job = await run([karl, other]);
      expect(await answers(directory, job)).toEqual([
        { type: 'sync.sweep.held', note: 'quarantined: the run would list other people under 1 of 2 ids' },
      ]);
      expect(await shown()).toEqual(['1 active Ann Lee', '2 active Eve Moor']);
    });

    it('is quarantined if the source has no numbers and the address differs too', async () => {
      await run([row('1', { display_name: 'Ann Lee', email: 'ann@x.org' }), other]);
      const job = await run([row('1', { display_name: 'Karl Berg', email: 'karl@x.org' }), other]);
      expect(await answers(directory, job)).toEqual([
        { type: 'sync.sweep.held', note: 'quarantined: the run would list other people under 1 of 2 ids' },
      ]);
      await release(job);
      expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
    });

    it('deletes the earlier user and creates another person when it is released', async () => {
      await run([ann, other]);
      const before = await directory.identityOf('1');
      const job = await run([karl, other]);
      await release(job);
      expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
      expect(await directory.identityOf('1')).not.toBe(before);
      const events = await directory.fixture.rows<{ type: string }>(
        `select type from events where job_id = $1 and type like 'lifecycle.%' order by type`,
        [job],
      );
      expect(events.map(({ type }) => type)).toEqual(['lifecycle.joiner', 'lifecycle.leaver']);
      await run([karl, other]);
      expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
    });

    it('is quarantined if the earlier user is deleted already', async () => {
      await run([ann, other]);
      await run([other]);
      const job = await run([karl, other]);
      expect((await answers(directory, job)).at(-1)?.type).toBe('sync.sweep.held');
      await release(job);
      expect(await shown()).toEqual(['1 (formerly usr) deleted Ann Lee', '2 active Eve Moor', '1 active Karl Berg']);
    });

    it('deletes the other person when it is undone, and keeps the earlier user', async () => {
      await run([ann, other]);
      const job = await run([karl, other]);
      await release(job);
      await directory.operate('job.undo', { job_id: job, preview: false });
      expect(await shown()).toEqual(['1 (formerly usr) active Ann Lee', '2 active Eve Moor', '1 deleted Karl Berg']);
    });

    it.each([
      ['the number', { employee_number: '17' }],
      ['the address', { email: 'ann@x.org' }],
      ['the given name', { display_name: 'Ann Berg' }],
    ])('is the same person if %s is the same', async (_, same) => {
      await run([ann, other]);
      const before = await directory.identityOf('1');
      const fields = Object.fromEntries(Object.entries(same).map(([field, value]) => [field, [value]]));
      await run([{ ...karl, fields: { ...karl.fields, ...fields } }, other]);
      expect(await directory.identityOf('1')).toBe(before);
      expect(await shown()).toHaveLength(2);
    });
  });
});

describe('the rows of one id in a full run', () => {
  const at = '2026-06-01T00:00:00Z';

  interface Line {
    job_title: string;
    status?: string;
    hire_date?: string;
    termination_date?: string;
    email?: string;
  }

  const uma = ({ job_title, ...rest }: Line): SourceRecord =>
    row('77', { employee_number: 'E77', first_name: 'Uma', last_name: 'Berg', email: 'uma@x.org', job_title, ...rest });
  /** So that no bound of the safeguard is reached. */
  const others = Array.from({ length: 30 }, (_, n) =>
    row(`p${n}`, { employee_number: `P${n}`, email: `p${n}@x.org`, last_name: `Name${n}` }),
  );
  const day = (year: number) => `${year}-01-01T00:00:00.000Z`;

  async function newSource(): Promise<void> {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant);
  }

  /** The source has people already, so that its safeguard bounds what a run adds and changes. */
  async function guarded(): Promise<void> {
    await directory.fixture.rows(
      'insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())',
      [hr, directory.tenant],
    );
  }

  async function run(batches: SourceRecord[][], options: RunOptions = {}): Promise<string> {
    const job = await wholeRun(directory, hr, batches, { at, ...options });
    await endJob(directory, job);
    return job;
  }

  const stored = async () => {
    const { status, fields } = await directory.record('77');
    const { job_title } = fields as SourceRecord['fields'];
    return { status, job_title: job_title?.[0] };
  };

  const types = async (job: string): Promise<string[]> =>
    (
      await directory.fixture.rows<{ type: string }>('select type from events where job_id = $1 order by sequence', [
        job,
      ])
    ).map(({ type }) => type);

  const nurse = { job_title: 'Nurse', status: 'active' };
  const trainee = { job_title: 'Trainee', status: 'inactive' };

  /** Every way to list the rows of Uma in two batches that are applied in any order, and in one. */
  function layouts(one: SourceRecord, two: SourceRecord): { batches: SourceRecord[][]; order: number[] }[] {
    return [
      [one, two],
      [two, one],
    ].flatMap(([first, second]) => {
      const parts = [[first as SourceRecord, ...others], [second as SourceRecord]];
      return [
        { batches: parts, order: [0, 1] },
        { batches: parts, order: [1, 0] },
        { batches: [parts.flat()], order: [0] },
      ];
    });
  }

  beforeEach(newSource);

  it.each<[string, Line, Line]>([
    ['an active one before an inactive one', nurse, trainee],
    ['one that runs before one that has not begun', nurse, { job_title: 'Chief', hire_date: day(2027) }],
    ['one that runs before one that has ended', nurse, { job_title: 'Temp', termination_date: day(2026) }],
    [
      'of two that run the one that began last',
      { ...nurse, hire_date: day(2024) },
      { job_title: 'Temp', status: 'active', hire_date: day(2020) },
    ],
    [
      'of two that have ended the one that began last',
      { ...nurse, status: 'inactive', hire_date: day(2024) },
      { ...trainee, hire_date: day(2020), termination_date: day(2021) },
    ],
    [
      'one with a new address before one that has ended',
      { ...nurse, email: 'uma.berg@x.org', hire_date: day(2024) },
      { ...trainee, hire_date: day(2020) },
    ],
  ])('count as employments: %s', async (_, best, other) => {
    const results = new Set<string>();
    for (const earlier of [undefined, best, other, { job_title: 'Clerk', status: 'active', hire_date: day(2025) }]) {
      for (const { batches, order } of layouts(uma(best), uma(other))) {
        await newSource();
        if (earlier) await run([[uma(earlier), ...others]]);
        await run(batches, { order });
        results.add(JSON.stringify({ earlier: earlier && 'any', ...(await stored()) }));
      }
    }
    const status = best.status ?? 'active';
    expect([...results].map((result) => JSON.parse(result))).toEqual([
      { status, job_title: best.job_title },
      { earlier: 'any', status, job_title: best.job_title },
    ]);
  });

  it('count as employments in a first run by which a person of another source would lose access', async () => {
    const results = new Set<string>();
    for (const { batches, order } of layouts(uma(nurse), uma(trainee))) {
      await newSource();
      const logins = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 500 });
      await directory.sync(logins, [row('uma', { employee_number: 'E77', status: 'active' })]);
      await run(batches, { order });
      results.add(JSON.stringify(await stored()));
    }
    expect([...results].map((result) => JSON.parse(result))).toEqual([nurse]);
  });

  it('change nothing in the next run, in whichever order they are listed and applied', async () => {
    await run([[uma(nurse), ...others]]);
    for (const { batches, order } of layouts(uma(nurse), uma({ ...trainee, hire_date: day(2020) }))) {
      expect(await types(await run(batches, { order }))).toEqual([]);
    }
  });

  it('are reported once for each further row', async () => {
    const job = await run([[uma(nurse), ...others], [uma(trainee)], [uma(nurse)]]);
    const errors = [{ external_id: '77', message: 'listed more than once by the source' }];
    expect(await answers(directory, job)).toEqual([{ type: 'sync.sweep.ended', deleted: 0, repeated: 2, errors }]);
  });

  it('delete the person only after a run that lists none of them', async () => {
    await run([[uma(trainee), ...others], [uma(nurse)]]);
    await run([[...others, uma(trainee)]]);
    expect(await stored()).toEqual({ status: 'inactive', job_title: 'Trainee' });
    await run([others]);
    expect(await stored()).toMatchObject({ status: 'deleted' });
  });

  it('of a dry run plan what a run would do', async () => {
    await run([[uma(nurse), ...others]]);
    for (const { batches, order } of layouts(uma({ ...nurse, job_title: 'Chief' }), uma(trainee))) {
      const job = await run(batches, { order, dryRun: true });
      const plan = await directory.fixture.rows(
        `select action, changes -> 0 ->> 'to' as to from sync_plan_entries where job_id = $1`,
        [job],
      );
      expect(plan).toEqual([{ action: 'update', to: 'Chief' }]);
    }
  });

  it('have the same result in any batches and any order', async () => {
    const line = fc.record({
      job_title: fc.constantFrom('Nurse', 'Trainee'),
      status: fc.constantFrom('active', 'inactive', 'suspended', 'pending'),
      email: fc.constantFrom('uma@x.org', 'berg@x.org'),
    });
    const lines = fc
      .uniqueArray(line, { minLength: 2, maxLength: 4, selector: ({ status }) => status })
      .map((found) => found.map((each, nth) => uma({ ...each, hire_date: day(2016 + nth) })));
    const order = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.option(line),
        fc.boolean(),
        order,
        order,
        async (rows, earlier, isKnown, places, turns) => {
          const sorted = <T>(some: readonly T[], by: readonly number[]) =>
            some
              .map((each, nth) => ({ each, by: by[nth] ?? 0 }))
              .sort((a, b) => a.by - b.by)
              .map(({ each }) => each);
          const pictures: object[] = [];
          for (const listed of [rows, sorted(rows, places)]) {
            for (const batches of [[[...others, ...listed]], [others, ...listed.map((each) => [each])]]) {
              await newSource();
              await run([[...others, ...(earlier ? [uma({ ...earlier, hire_date: day(2018) })] : [])]]);
              if (isKnown) await guarded();
              await run(batches, { order: sorted([...batches.keys()], turns) });
              const { status, fields } = await directory.record('77');
              pictures.push({ status, fields });
            }
          }
          for (const picture of pictures) expect(picture).toEqual(pictures[0]);
        },
      ),
      { numRuns: 15 },
    );
  }, 300_000);
});
