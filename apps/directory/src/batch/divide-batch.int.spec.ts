import type { Message, SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { appliedRun, sweep } from '../../test/whole-run.js';
import { applyBatch } from './apply-batch.js';

let harness: Harness;
let connector: string;

beforeAll(async () => {
  harness = await Harness.create();
});

beforeEach(async () => {
  await harness.newTenant();
  connector = await harness.fixture.connector(harness.tenant);
});

afterAll(() => harness?.close());

const sound = (at: number) => row(`r${at}`, { email: `r${at}@x.org`, first_name: 'Ann' });
/** PostgreSQL rejects NUL in text. */
const poisoned = (at: number) => row(`r${at}`, { email: `r${at}@x.org`, first_name: 'A\0nn' });

async function applied(job: string): Promise<Message<'sync.batch.applied'>['data'] | undefined> {
  const [answer] = await harness.fixture.rows<{ message: string }>(
    `select message from outbox where type = 'sync.batch.applied' and message::jsonb #>> '{data,job_id}' = $1`,
    [job],
  );
  return answer && (JSON.parse(answer.message) as Message<'sync.batch.applied'>).data;
}

async function apply(records: readonly SourceRecord[]): Promise<Message<'sync.batch.applied'>['data'] | undefined> {
  const { fixture, tenant, database } = harness;
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
    await harness.fixture.rows<{ external_id: string }>(
      `select external_id from source_records where tenant_id = $1 and status = 'active' order by length(external_id), external_id`,
      [harness.tenant],
    )
  ).map(({ external_id }) => external_id);

describe('a record that cannot be applied', () => {
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
        await harness.newTenant();
        connector = await harness.fixture.connector(harness.tenant);
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
    const job = await appliedRun(harness, connector, [[sound(1), poisoned(2)]]);
    const errors = (await applied(job))?.errors ?? [];
    await harness.fixture.rows(
      `insert into sync_record_errors (job_id, id, tenant_id, external_id, message)
       values ($1, gen_random_uuid(), $2, $3, 'left out')`,
      [job, harness.tenant, errors[0]?.external_id],
    );
    await harness.fixture.rows('update sync_jobs set records_applied = 1, records_failed = 1 where id = $1', [job]);
    await sweep(harness, job);
    expect(await there()).toEqual(['r1', 'r2']);
  });

  it('is not isolated when no record of a large batch can be applied', async () => {
    const records = [...Array(300).keys()].map(poisoned);
    await expect(apply(records)).rejects.toThrow();
    expect(await there()).toEqual([]);
  });
});
