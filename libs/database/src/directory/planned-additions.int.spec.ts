import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Transaction } from '../database.js';
import { countAdditions, findReplacedAnchors } from './planned-additions.js';

const many = 5_000;
const job = newUuid();
let own: ServiceDatabase;
let tenant: string;
let connector: string;

/** Rows that a read fetches, as the directory's role under row-level security, on tables without statistics. */
async function cost<Found>(read: (tx: Transaction) => Promise<Found>): Promise<{ found: Found; rows: number }> {
  return own.database.transaction(tenant, async (tx) => {
    const fetched = async () => {
      const [seen] = await tx.query<{ count: number }>(
        `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint as count from pg_stat_xact_user_tables`,
      );
      return Number(seen?.count);
    };
    const before = await fetched();
    const found = await read(tx);
    return { found, rows: (await fetched()) - before };
  });
}

describe('the plan of a source that replaces all ids', () => {
  beforeAll(async () => {
    own = await ServiceDatabase.start('directory');
    tenant = await own.fixture.tenant();
    connector = await own.fixture.connector(tenant);
    await own.fixture.rows('insert into sync_plans (job_id, tenant_id, connector_id) values ($1, $2, $3)', [
      job,
      tenant,
      connector,
    ]);
    for (const action of ['create', 'delete']) {
      await own.fixture.rows(
        `insert into sync_plan_entries
            (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, incoming, resembles_id, resembles_by)
         select $1, $2, 0, $3, md5($3 || n)::uuid, 'user', $3 || n, case $3 when 'delete' then md5(n::text)::uuid end, '[]',
                case $3 when 'create' then '{}' end, case $3 when 'create' then md5(n::text)::uuid end,
                case $3 when 'create' then 'employee_number' end
           from generate_series(1, ${many}) as n`,
        [job, tenant, action],
      );
    }
  });

  afterAll(() => own?.close());

  it('pairs a page of creations with deletions by one index lookup for each', async () => {
    const { found, rows } = await cost((tx) =>
      findReplacedAnchors(tx, job, { first: 2_001, beyond: 2_501, kinds: ['employee_number'] }),
    );
    expect(found).toHaveLength(500);
    expect(rows).toBeLessThan(2_500);
  });

  it('is counted by reading each entry a few times', async () => {
    const { found, rows } = await cost((tx) => countAdditions(tx, { id: job, connectorId: connector }));
    expect(found).toEqual({ created: many, changed: [], rekeyed: [{ field: 'employee_number', count: many }] });
    expect(rows).toBeLessThan(10 * many);
  });

  it('is counted as cheaply if the run cannot know which records are gone', async () => {
    await own.fixture.rows(`delete from sync_plan_entries where action = 'delete'`);
    const { found, rows } = await cost((tx) =>
      countAdditions(tx, { id: job, connectorId: connector }, ['employee_number']),
    );
    expect(found).toEqual({ created: many, changed: [], rekeyed: [] });
    expect(rows).toBeLessThan(10 * many);
  });
});
