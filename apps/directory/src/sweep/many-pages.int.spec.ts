import { newUuid } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { appliedRun, endJob } from '../../test/whole-run.js';
import { sweepJob } from './sweep-job.js';

/** A node of an executed plan, as PostgreSQL reports it. */
interface Plan {
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

const harness = Harness.ofFile();
const peopleOfPage = 10;

beforeEach(() => harness.newTenant());

const pages = (count: number, surname: string) =>
  Array.from({ length: count }, (_, page) =>
    Array.from({ length: peopleOfPage }, (_, nth) => {
      const n = page * peopleOfPage + nth;
      return row(`p${n}`, { employee_number: `E${n}`, email: `p${n}@x.org`, first_name: `F${n}`, last_name: surname });
    }),
  );

/** Rows that all steps of a plan read or compare. */
function rowsOf(plan: Plan): number {
  const own =
    (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  return own * (plan['Actual Loops'] ?? 0) + (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0);
}

/** Counts the rows of the statements on plans and pages, each of which is executed once more and rolled back. */
function countingRows(database: Database): { database: Database; rows: number } {
  const counted = { rows: 0, database };
  const transaction = <T>(tenant: string, work: (tx: Transaction) => Promise<T>) =>
    database.transaction(tenant, async (tx) => {
      const query = async <Row>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
        if (/sync_plan_entries|seen_records/.test(text)) {
          const [found] = await tx.rolledBack(() =>
            tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, timing off, format json) ${text}`, values),
          );
          counted.rows += found ? rowsOf(found['QUERY PLAN'][0].Plan) : Number.NaN;
        }
        return tx.query<Row>(text, values);
      };
      const counting: Transaction = {
        ...tx,
        query,
        row: async <Row>(text: string, values?: readonly unknown[]) => (await query<Row>(text, values))[0],
        ids: async (text, values) => (await query<{ id: string }>(text, values)).map(({ id }) => id),
        count: async (text, values) => (await query<{ count: number }>(text, values))[0]?.count ?? 0,
        any: async (text, values) => (await query(text, values)).length > 0,
      };
      return work(counting);
    });
  counted.database = new Proxy(database, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name, target)),
  });
  return counted;
}

/** Changes all surnames in a run of so many pages. Returns the rows that holding and releasing it reads. */
async function heldAndReleased(count: number): Promise<{ held: number; released: number }> {
  const { fixture, tenant } = harness;
  const hr = await fixture.connector(tenant);
  await endJob(harness, await appliedRun(harness, hr, pages(count, 'Old')));
  await fixture.rows('insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())', [
    hr,
    tenant,
  ]);
  const job = await appliedRun(harness, hr, pages(count, 'New'));
  const sweep = async () => {
    const counted = countingRows(harness.database);
    await sweepJob(counted.database, { id: newUuid(), tenant_id: tenant, data: { job_id: job } });
    return counted.rows;
  };
  const held = await sweep();
  expect(await fixture.rows('select state from sync_plans where job_id = $1', [job])).toEqual([{ state: 'held' }]);
  await fixture.rows(`update sync_jobs set status = 'running', decision = '{"action":"released"}' where id = $1`, [
    job,
  ]);
  const released = await sweep();
  const changed = await fixture.rows(`select from source_records where connector_id = $1 and last_job_id = $2`, [
    hr,
    job,
  ]);
  expect(changed).toHaveLength(count * peopleOfPage);
  return { held, released };
}

describe('a held run of many pages', () => {
  it('reads as many rows for each of its changes as one of few pages', async () => {
    const [few, times] = [15, 8];
    const [small, large] = [await heldAndReleased(few), await heldAndReleased(few * times)];
    expect(large.held / small.held).toBeLessThan(1.5 * times);
    expect(large.released / small.released).toBeLessThan(1.5 * times);
  });
});
