import type { OperationInput, SourceRecord } from '@idsync/contracts';
import { LoadLimitExceeded } from '@idsync/database/directory';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { betweenParts, type Requested, requestOperation, storedOperation } from '../../test/parts.js';
import { appliedRun, endJob, sweep, wholeRun } from '../../test/whole-run.js';
import { republishOperations } from '../background/due-work.js';
import { runOperation } from './run-operation.js';

const directory = Harness.ofFile();
const all = 600;
let hr: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR' });
});

afterEach(() => {
  jest.restoreAllMocks();
});

const people = (title: string): SourceRecord[] =>
  Array.from({ length: all }, (_, at) => row(`p${at}`, { employee_number: `E${at}`, job_title: title }));

async function run(records: SourceRecord[], options: { dryRun?: boolean } = {}): Promise<string> {
  const job = await wholeRun(directory, hr, [records], options);
  await endJob(directory, job);
  return job;
}

/** Number of records by connector, job title and whether they are deleted, and of identities. */
async function shown(): Promise<unknown> {
  const records = await directory.fixture.rows(
    `select name, fields -> 'job_title' ->> 0 as title, status = 'deleted' as gone, count(*)::int as records,
            count(distinct identity_id)::int as people
       from source_records r join connectors c on c.id = r.connector_id
      where r.tenant_id = $1 group by 1, 2, 3 order by 1, 2, 3`,
    [directory.tenant],
  );
  const identities = await directory.fixture.rows(
    'select status, count(*)::int as count from identities where tenant_id = $1 group by 1 order by 1',
    [directory.tenant],
  );
  return { records, identities };
}

const of = (name: string, title: string, records: number) => ({ name, title, gone: false, records, people: records });
const active = [{ status: 'active', count: all }];

async function make(requested: Requested) {
  await runOperation(directory.database, requested);
  expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  return storedOperation(directory, requested);
}

const kinds = {
  'connector.hand_over': {
    request: async () => {
      const old = await directory.fixture.connector(directory.tenant, { name: 'Old' });
      const job = await wholeRun(directory, old, [people('Clerk')]);
      await endJob(directory, job);
      await directory.fixture.rows('update connectors set deleted_at = now() where id = $1', [old]);
      return requestOperation(directory, 'connector.hand_over', { from_id: old, to_id: hr });
    },
    result: { records_moved: all, records_joined: 0, records_in_conflict: 0, conflicts: [] },
    counted: 'records_moved',
    shown: { records: [of('HR', 'Clerk', all)], identities: active },
    shownHalf: { records: [of('HR', 'Clerk', 500), of('Old', 'Clerk', 100)], identities: active },
  },
  'job.undo': {
    request: async () => {
      await run(people('Clerk'));
      const job_id = await run(people('Engineer'));
      return requestOperation(directory, 'job.undo', { job_id, preview: false });
    },
    result: { records_restored: all, records_removed: 0, removed: [] },
    counted: 'records_restored',
    shown: { records: [of('HR', 'Clerk', all)], identities: active },
    shownHalf: { records: [of('HR', 'Clerk', 500), of('HR', 'Engineer', 100)], identities: active },
  },
  'plan.apply': {
    request: async () => {
      await run(people('Clerk'));
      const job_id = await run(people('Engineer'), { dryRun: true });
      return requestOperation(directory, 'plan.apply', { job_id, reason: 'reviewed' });
    },
    result: { records_created: 0, records_updated: all, records_deleted: 0 },
    counted: 'records_updated',
    shown: { records: [of('HR', 'Engineer', all)], identities: active },
    shownHalf: { records: [of('HR', 'Clerk', 100), of('HR', 'Engineer', 500)], identities: active },
  },
} as const;
type Kind = keyof typeof kinds;

async function again(type: Kind, { data }: Requested): Promise<Requested> {
  const [operation] = await directory.fixture.rows<{ input: OperationInput<Kind> }>(
    'select input from operations where id = $1',
    [data.operation_id],
  );
  return requestOperation(directory, type, operation?.input as OperationInput<Kind>);
}

describe.each(Object.keys(kinds) as Kind[])('a large %s', (type) => {
  const kind = kinds[type];

  it('is made in parts, and continues after its process was killed between them', async () => {
    const requested = await kind.request();
    betweenParts(directory, requested, () => Promise.reject(new Error('killed')));
    await expect(runOperation(directory.database, requested)).rejects.toThrow('killed');
    expect(await storedOperation(directory, requested)).toMatchObject({
      status: 'running',
      progress: { done: 500, total: all },
    });
    expect(await shown()).toEqual(kind.shownHalf);
    expect(await make(requested)).toMatchObject({ status: 'done', result: kind.result });
    expect(await shown()).toEqual(kind.shown);
  });

  it('can be cancelled, says how much is left, and leaves the rest to another request', async () => {
    const requested = await kind.request();
    const operation_id = requested.data.operation_id;
    betweenParts(directory, requested, () => directory.operate('operation.cancel', { operation_id }));
    expect(await make(requested)).toMatchObject({
      status: 'cancelled',
      result: { [kind.counted]: 500, records_left: 100 },
    });
    expect(await shown()).toEqual(kind.shownHalf);
    expect(await make(await again(type, requested))).toMatchObject({ status: 'done', result: { [kind.counted]: 100 } });
    expect(await shown()).toEqual(kind.shown);
  });

  it('lets batches of other sources pass between its parts', async () => {
    const requested = await kind.request();
    const ad = await directory.fixture.connector(directory.tenant, { name: 'AD' });
    let between: unknown;
    betweenParts(directory, requested, async () => {
      await directory.sync(ad, [row('a7', { employee_number: 'E7' }), row('a599', { employee_number: 'E599' })]);
      between = await storedOperation(directory, requested);
    });
    expect(await make(requested)).toMatchObject({ status: 'done', result: kind.result });
    expect(between).toMatchObject({ status: 'running', progress: { done: 500 } });
    expect(await directory.people()).toEqual(
      expect.arrayContaining([
        ['a599', 'p599'],
        ['a7', 'p7'],
      ]),
    );
  });
});

describe('a run of the same connector between two parts', () => {
  it('keeps its changes of records that were not undone yet', async () => {
    const requested = await kinds['job.undo'].request();
    betweenParts(directory, requested, () =>
      directory.sync(hr, [row('p599', { employee_number: 'E599', job_title: 'Boss' })]),
    );
    expect(await make(requested)).toMatchObject({ status: 'done', result: { records_restored: all - 1 } });
    expect(await shown()).toMatchObject({ records: [of('HR', 'Boss', 1), of('HR', 'Clerk', all - 1)] });
  });

  it('is awaited by a hand-over, which its end continues', async () => {
    const requested = await kinds['connector.hand_over'].request();
    let job = '';
    betweenParts(directory, requested, async () => {
      job = await appliedRun(directory, hr, [people('Clerk')]);
    });
    expect(await make(requested)).toMatchObject({
      status: 'running',
      result: { records_moved: 500, waiting_for: expect.stringContaining('a sync job of Old or HR has not ended') },
    });
    await sweep(directory, job);
    await endJob(directory, job);
    expect(await republishOperations(directory.database, directory.tenant, 'waiting')).toBe(1);
    expect(await make(requested)).toMatchObject({
      status: 'done',
      result: { records_moved: 500, records_joined: 100, records_in_conflict: 0, conflicts: [] },
    });
    expect(await shown()).toMatchObject({ records: [of('HR', 'Clerk', all), expect.anything()], identities: active });
  });

  it('ends the application of a plan only if a single record that it reads is still to be changed', async () => {
    for (const [at, status] of [
      [0, 'done'],
      [599, 'cancelled'],
    ] as const) {
      await directory.newTenant();
      hr = await directory.fixture.connector(directory.tenant, { name: 'HR' });
      const requested = await kinds['plan.apply'].request();
      betweenParts(directory, requested, async () => {
        const job = await directory.fixture.job(directory.tenant, hr, 'running');
        await directory.fixture.rows(
          `update sync_jobs set mode = 'record', external_id = $2, started_at = now(), last_record_at = now() where id = $1`,
          [job, `p${at}`],
        );
      });
      expect(await make(requested)).toMatchObject({ status });
      jest.restoreAllMocks();
    }
  });

  it('ends the application of a plan, and the rest needs another dry run', async () => {
    const requested = await kinds['plan.apply'].request();
    betweenParts(directory, requested, async () => {
      const job = await run(people('Clerk'));
      await directory.fixture.rows('update sync_jobs set started_at = now() where id = $1', [job]);
    });
    expect(await make(requested)).toMatchObject({
      status: 'cancelled',
      result: { records_updated: 500, records_left: 100, error: expect.stringContaining('start another dry run') },
    });
    expect(await shown()).toMatchObject({ records: [of('HR', 'Clerk', all)] });
  });
});

it('a large change that cannot be made is refused without a trial', async () => {
  const requested = await kinds['plan.apply'].request();
  await directory.fixture.job(directory.tenant, hr, 'running');
  const trial = jest.spyOn(directory.database, 'trial');
  expect(await make(requested)).toMatchObject({
    status: 'refused',
    result: { error: expect.stringContaining('running') },
  });
  expect(trial).not.toHaveBeenCalled();
});

describe('a large change that takes access from many', () => {
  it('does not count the people of an attempt that had too many records at once', async () => {
    const job_id = await run(people('Clerk'));
    const requested = await requestOperation(directory, 'job.undo', { job_id, preview: false });
    const trial = directory.database.trial.bind(directory.database);
    jest.spyOn(directory.database, 'trial').mockImplementationOnce(async (tenant, work) => {
      await trial(tenant, work);
      await directory.sync(hr, people('Boss').slice(0, 50));
      throw new LoadLimitExceeded('too many records');
    });
    expect(await make(requested)).toMatchObject({ status: 'held', result: { access_changes_total: all - 50 } });
  });

  it('is held before its first part, and made in parts when it is confirmed', async () => {
    const job_id = await run(people('Clerk'));
    const requested = await requestOperation(directory, 'job.undo', { job_id, preview: false });
    expect(await make(requested)).toMatchObject({ status: 'held', result: { access_changes_total: all } });
    expect(await shown()).toMatchObject({ records: [of('HR', 'Clerk', all)] });
    const { operation_id } = requested.data;
    expect(await directory.operate('operation.confirm', { operation_id })).toMatchObject({ status: 'done' });
    expect(await storedOperation(directory, requested)).toMatchObject({
      status: 'done',
      result: { records_removed: all },
      progress: { done: all, total: all },
    });
    expect(await shown()).toMatchObject({ records: [{ gone: true, records: all }] });
  });
});
