import { type Connector, SourceError } from '@idsync/connectors';
import type { SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../apps/directory/test/directory-faults.js';
import { WholeSync } from './support/whole-sync.js';

let sync: WholeSync;
let tenant: string;
let connector: string;
/** What the source says now: the first name of each. */
let said: Map<string, string>;

beforeAll(async () => {
  sync = await WholeSync.start();
});

beforeEach(async () => {
  tenant = await sync.rows.tenant();
  connector = await sync.rows.connector(tenant);
  said = new Map([
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
  tellsChanges: true,
  async *read() {
    const records = [...said].map(([id, name]) => record(id, name));
    yield { records, errors: [], cursor: { at: 1 }, last: true, checkpoint: { at: 1 } };
  },
  async readOne(id) {
    const name = said.get(id);
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

/** Jobs that read again what two have read at the same time. */
async function readAgain(): Promise<string[]> {
  const queued = await sync.rows.rows<{ id: string; external_id: string }>(
    `select id, external_id from sync_jobs where tenant_id = $1 and mode = 'record' and status = 'queued' order by id`,
    [tenant],
  );
  for (const { id } of queued) await sync.finish(tenant, id, source);
  return queued.map(({ external_id }) => external_id);
}

/** A run of everything whose page is read, and applied only when what comes back is called. */
async function fullRun(): Promise<() => Promise<void>> {
  const id = await sync.queue(tenant, connector, { mode: 'full' });
  await sync.readOnly(tenant, id, source);
  const deliver = await sync.withhold();
  return async () => {
    await deliver();
    expect(await jobOf(id)).toMatchObject({ status: 'completed' });
  };
}

describe('one record', () => {
  it('is created, updated, left as it is, deleted, and told to have never been', async () => {
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'created' });
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'unchanged' });
    said.set('ann', 'Anna');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'updated' });
    expect(await names()).toEqual({ ann: 'Anna' });
    said.delete('ann');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'deleted' });
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'absent' });
    expect(await jobOf(await readRecord('nobody'))).toMatchObject({ status: 'completed', outcome: 'absent' });
    expect(await names()).toEqual({ ann: 'deleted' });
  });

  it('that cannot be used is refused with the reason, and stays as it was', async () => {
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

  it('is deleted, however few its connector has and whatever its safeguard: somebody has named it', async () => {
    await sync.rows.rows('update connectors set safeguard = $2 where id = $1', [
      connector,
      JSON.stringify({ max_deleted_percent: 0, max_deleted_records: 0 }),
    ]);
    await readRecord('ann');
    said.clear();
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ status: 'completed', outcome: 'deleted' });
  });

  it('that another source gives is written to nobody', async () => {
    const other: Connector = { ...source, readOne: async () => ({ record: record('bob', 'Bob') }) };
    expect(await jobOf(await readRecord('ann', other))).toMatchObject({ status: 'failed', outcome: null });
    expect(await names()).toEqual({});
  });

  it('says nothing of its source: not of its health, its last run, its checkpoint, nor of who else fails', async () => {
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
        throw new SourceError('nobody answers');
      },
    };
    expect(await jobOf(await readRecord('ann', down))).toMatchObject({
      status: 'failed',
      error_message: 'nobody answers',
    });
    await readRecord('bob');
    expect([await state(), await failing()]).toEqual(before);
  });
});

describe('one record beside a run of its connector', () => {
  it('is not taken back by a page that was read before', async () => {
    await sync.run(tenant, connector, source);
    said.set('ann', 'Anne');
    const apply = await fullRun();
    said.set('ann', 'Anna');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ outcome: 'updated' });
    await apply();
    expect(await names()).toEqual({ ann: 'Anna', bob: 'Bob' });
    expect(await readAgain()).toEqual(['ann']);
    expect(await names()).toEqual({ ann: 'Anna', bob: 'Bob' });
    const changes = await sync.rows.rows(`select from events where tenant_id = $1 and type = 'user.updated'`, [tenant]);
    expect(changes).toHaveLength(1);
  });

  it('is read again where the run has read a later word', async () => {
    await sync.run(tenant, connector, source);
    const id = await sync.queue(tenant, connector, { mode: 'full' });
    const beside: Connector = {
      ...source,
      async *read(options) {
        // Its reading has begun, and goes on after the record was read alone.
        said.set('ann', 'Anna');
        await readRecord('ann');
        said.set('ann', 'Annika');
        yield* source.read(options);
      },
    };
    await sync.finish(tenant, id, beside);
    expect(await readAgain()).toEqual(['ann']);
    expect(await names()).toEqual({ ann: 'Annika', bob: 'Bob' });
  });

  it('that came meanwhile is not deleted for not having been listed', async () => {
    await sync.run(tenant, connector, source);
    const apply = await fullRun();
    said.set('cat', 'Cat');
    expect(await jobOf(await readRecord('cat'))).toMatchObject({ outcome: 'created' });
    await apply();
    expect(await names()).toEqual({ ann: 'Ann', bob: 'Bob', cat: 'Cat' });
    expect(await readAgain()).toEqual(['cat']);
    expect(await names()).toEqual({ ann: 'Ann', bob: 'Bob', cat: 'Cat' });
  });

  it('that fails in both is not forgotten when the run ends', async () => {
    const error = { external_id: 'eve', message: 'email is longer than 16 KiB' };
    const broken: Connector = {
      async *read() {
        yield { records: [], errors: [{ line: 1, ...error }], cursor: { at: 1 }, last: true };
      },
      readOne: async () => ({ error }),
    };
    const id = await sync.queue(tenant, connector, { mode: 'full' });
    await sync.readOnly(tenant, id, broken);
    const apply = await sync.withhold();
    await readRecord('eve', broken);
    await apply();
    const failing = await sync.rows.rows('select external_id from failing_records where connector_id = $1', [
      connector,
    ]);
    expect(failing).toEqual([{ external_id: 'eve' }]);
  });

  it('that went meanwhile does not come back', async () => {
    await sync.run(tenant, connector, source);
    const apply = await fullRun();
    said.delete('ann');
    expect(await jobOf(await readRecord('ann'))).toMatchObject({ outcome: 'deleted' });
    await apply();
    await readAgain();
    expect(await names()).toEqual({ ann: 'deleted', bob: 'Bob' });
  });

  it('that a run of changes says is gone is asked for again', async () => {
    await sync.run(tenant, connector, source);
    const id = await sync.queue(tenant, connector, { mode: 'changes' });
    await sync.readOnly(tenant, id, {
      ...source,
      async *read() {
        await readRecord('ann');
        said.delete('ann');
        yield { records: [], errors: [], removed: ['ann'], cursor: { at: 2 }, last: true, checkpoint: { at: 2 } };
      },
    });
    await sync.finish(tenant, id, source);
    expect(await jobOf(id)).toMatchObject({ status: 'completed' });
    expect(await names()).toEqual({ ann: 'Ann', bob: 'Bob' });
    expect(await readAgain()).toEqual(['ann']);
    expect(await names()).toEqual({ ann: 'deleted', bob: 'Bob' });
  });

  it('has no say any more in a run that begins after it', async () => {
    await sync.run(tenant, connector, source);
    await readRecord('ann');
    said.set('ann', 'Anna');
    await sync.run(tenant, connector, source, { mode: 'full' });
    expect(await names()).toEqual({ ann: 'Anna', bob: 'Bob' });
    expect(await readAgain()).toEqual([]);
  });
});
