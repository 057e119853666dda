import { type Connector, SourceError } from '@idsync/connectors';
import type { SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../apps/directory/test/directory-faults.js';
import { WholeSync } from './support/whole-sync.js';

let sync: WholeSync;
let tenant: string;
let connector: string;
/** Current content of the source: first names by external id. */
let content: Map<string, string>;

beforeAll(async () => {
  sync = await WholeSync.start();
});

beforeEach(async () => {
  tenant = await sync.rows.tenant();
  connector = await sync.rows.connector(tenant);
  content = new Map([
    ['ann', 'Ann'],
    ['bob', 'Bob'],
  ]);
});

afterAll(async () => {
  await sync?.close();
});

const record = (id: string, name: string): SourceRecord => ({
  external_id: id,
  fields: { first_name: [name], email: [`${id}@x.org`] },
});

const source: Connector = {
  reportsChanges: true,
  async *read() {
    const records = [...content].map(([id, name]) => record(id, name));
    yield { records, errors: [], cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
  },
  async readOne(id) {
    const name = content.get(id);
    return name === undefined ? 'absent' : { record: record(id, name) };
  },
};

const readRecord = (externalId: string, from: Connector = source) =>
  sync.run(tenant, connector, from, { mode: 'record', externalId });

async function jobOf(id: string) {
  const [job] = await sync.rows.rows<{ status: string; outcome: string | null; error_message: string | null }>(
    'select status, outcome, error_message from sync_jobs where id = $1',
    [id],
  );
  return job;
}

async function names(): Promise<Record<string, string>> {
  expect(await directoryFaults(sync.rows, tenant)).toEqual([]);
  const rows = await sync.rows.rows<{ external_id: string; name: string }>(
    `select external_id, case status when 'deleted' then 'deleted' else fields -> 'first_name' ->> 0 end as name
       from source_records where tenant_id = $1 order by 1`,
    [tenant],
  );
  return Object.fromEntries(rows.map(({ external_id, name }) => [external_id, name]));
}

/** Runs the jobs for records that two jobs have read concurrently. Returns their external ids. */
async function runQueuedJobs(): Promise<string[]> {
  const queued = await sync.rows.rows<{ id: string; external_id: string }>(
    `select id, external_id from sync_jobs where tenant_id = $1 and mode = 'record' and status = 'queued' order by id`,
    [tenant],
  );
  for (const { id } of queued) await sync.finish(tenant, id, source);
  return queued.map(({ external_id }) => external_id);
}

/** Reads the page of a full run. The returned function applies it. */
async function fullRun(): Promise<() => Promise<void>> {
  const id = await sync.queue(tenant, connector, { mode: 'full' });
  await sync.readOnly(tenant, id, source);
  const deliver = await sync.takeMessages();
  return async () => {
    await deliver();
    expect(await jobOf(id)).toMatchObject({ status: 'completed' });
  };
}

describe('a single-record job', () => {
  it('has the outcome created, updated, unchanged, deleted or absent', async () => {
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'created' });
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'unchanged' });
    content.set('ann', 'Anna');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'updated' });
    expect(await names()).toEqual({ ann: 'Anna' });
    content.delete('ann');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'deleted' });
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'absent' });
    expect(await jobOf(await readRecord('nobody'))).toMatchObject({ status: 'completed', outcome: 'absent' });
    expect(await names()).toEqual({ ann: 'deleted' });
  });

  it('has the outcome refused with the reason for an invalid record, which stays unchanged', async () => {
    await readRecord('ann');
    const broken: Connector = {
      ...source,
      readOne: async () => ({ error: { message: 'email is longer than 16 KiB' } }),
    };
    expect(await jobOf(await readRecord('ann', broken))).toEqual({
      status: 'completed_with_errors',
      outcome: 'refused',
      error_message: '1 record was left out; ann: email is longer than 16 KiB',
    });
    expect(await names()).toEqual({ ann: 'Ann' });
  });

  it('deletes its record regardless of the deletion safeguard', async () => {
    await sync.rows.rows('update connectors set safeguard = $2 where id = $1', [
      connector,
      JSON.stringify({ max_deleted_percent: 0, max_deleted_records: 0 }),
    ]);
    await readRecord('ann');
    content.clear();
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'deleted' });
  });

  it('fails if the source returns a different record', async () => {
    const other: Connector = { ...source, readOne: async () => ({ record: record('bob', 'Bob') }) };
    expect(await jobOf(await readRecord('ann', other))).toMatchObject({ status: 'failed', outcome: null });
    expect(await names()).toEqual({});
  });

  it('does not change the health, last run, checkpoint or other failing records of its connector', async () => {
    await sync.run(tenant, connector, source);
    await sync.rows.rows(
      `insert into failing_records (id, connector_id, tenant_id, job_id, external_id, message)
       select gen_random_uuid(), $1, $2, id, 'eve', 'no mail' from sync_jobs where connector_id = $1`,
      [connector, tenant],
    );
    const state = () => sync.rows.rows('select * from connector_states where connector_id = $1', [connector]);
    const failing = () =>
      sync.rows.rows('select external_id from failing_records where connector_id = $1', [connector]);
    const before = [await state(), await failing()];
    const down: Connector = {
      ...source,
      readOne: async () => {
        throw new SourceError('no response');
      },
    };
    expect(await jobOf(await readRecord('ann', down))).toMatchObject({
      status: 'failed',
      error_message: 'no response',
    });
    await readRecord('bob');
    expect([await state(), await failing()]).toEqual(before);
  });
});

describe('a single-record job during a run of its connector', () => {
  it('is not overwritten by a page that was read before', async () => {
    await sync.run(tenant, connector, source);
    content.set('ann', 'Anne');
    const apply = await fullRun();
    content.set('ann', 'Anna');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ outcome: 'updated' });
    await apply();
    expect(await names()).toEqual({ ann: 'Anna', bob: 'Bob' });
    expect(await runQueuedJobs()).toEqual(['ann']);
    expect(await names()).toEqual({ ann: 'Anna', bob: 'Bob' });
    const changes = await sync.rows.rows(`select from events where tenant_id = $1 and type = 'user.updated'`, [tenant]);
    expect(changes).toHaveLength(1);
  });

  it('is repeated if the run may have read a later value', async () => {
    await sync.run(tenant, connector, source);
    const id = await sync.queue(tenant, connector, { mode: 'full' });
    const concurrent: Connector = {
      ...source,
      async *read(options) {
        // The run has started, and reads its page after the single-record job.
        content.set('ann', 'Anna');
        await readRecord('ann');
        content.set('ann', 'Annika');
        yield* source.read(options);
      },
    };
    await sync.finish(tenant, id, concurrent);
    expect(await runQueuedJobs()).toEqual(['ann']);
    expect(await names()).toEqual({ ann: 'Annika', bob: 'Bob' });
  });

  it('adds a record that the sweep does not delete as unlisted', async () => {
    await sync.run(tenant, connector, source);
    const apply = await fullRun();
    content.set('cat', 'Cat');
    expect(await jobOf(await readRecord('cat'))).toMatchObject({ outcome: 'created' });
    await apply();
    expect(await names()).toEqual({ ann: 'Ann', bob: 'Bob', cat: 'Cat' });
    expect(await runQueuedJobs()).toEqual(['cat']);
    expect(await names()).toEqual({ ann: 'Ann', bob: 'Bob', cat: 'Cat' });
  });

  it('with a record that fails in both keeps it listed as failing', async () => {
    const error = { external_id: 'eve', message: 'email is longer than 16 KiB' };
    const broken: Connector = {
      async *read() {
        yield { records: [], errors: [{ line: 1, ...error }], cursor: { at: 1 }, last: true };
      },
      readOne: async () => ({ error }),
    };
    const id = await sync.queue(tenant, connector, { mode: 'full' });
    await sync.readOnly(tenant, id, broken);
    const apply = await sync.takeMessages();
    await readRecord('eve', broken);
    await apply();
    const failing = await sync.rows.rows('select external_id from failing_records where connector_id = $1', [
      connector,
    ]);
    expect(failing).toEqual([{ external_id: 'eve' }]);
  });

  it('deletes a record that the run does not restore', async () => {
    await sync.run(tenant, connector, source);
    const apply = await fullRun();
    content.delete('ann');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ outcome: 'deleted' });
    await apply();
    await runQueuedJobs();
    expect(await names()).toEqual({ ann: 'deleted', bob: 'Bob' });
  });

  it('is repeated if the incremental run reports the record as deleted', async () => {
    await sync.run(tenant, connector, source);
    const id = await sync.queue(tenant, connector, { mode: 'changes' });
    await sync.readOnly(tenant, id, {
      ...source,
      async *read() {
        await readRecord('ann');
        content.delete('ann');
        yield { records: [], errors: [], removed: ['ann'], cursor: { at: 2 }, last: true, checkpoint: { at: 2 } };
      },
    });
    await sync.finish(tenant, id, source);
    expect(await jobOf(id)).toMatchObject({ status: 'completed' });
    expect(await names()).toEqual({ ann: 'Ann', bob: 'Bob' });
    expect(await runQueuedJobs()).toEqual(['ann']);
    expect(await names()).toEqual({ ann: 'deleted', bob: 'Bob' });
  });

  it('does not affect a later run', async () => {
    await sync.run(tenant, connector, source);
    await readRecord('ann');
    content.set('ann', 'Anna');
    await sync.run(tenant, connector, source, { mode: 'full' });
    expect(await names()).toEqual({ ann: 'Anna', bob: 'Bob' });
    expect(await runQueuedJobs()).toEqual([]);
  });
});
