import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropConstraints, findTables, insertion, type Table } from '../../test/tables-of-tenants.js';
import { isTenantDeleted } from '../bus/outbox.js';
import { deleteTenantPart, tablesOfTenants } from './delete-tenant.js';

let own: ServiceDatabase;
let database: ServiceDatabase['database'];
let tables: Table[];

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
  ({ database } = own);
  tables = await findTables(own.fixture);
});

afterAll(() => own?.close());

/** Runs steps until one does not ask for more; returns its state and the number of steps. */
async function deleted(tenant: string, settleMs = 0): Promise<{ state: string | undefined; rows: number }> {
  for (let rows = 0; ; ) {
    const step = await database.transaction(tenant, (tx) => deleteTenantPart(tx, settleMs));
    rows = step?.deleted ?? rows;
    if (step?.state !== 'more') return { state: step?.state, rows };
  }
}

const request = (tenant: string) =>
  own.fixture.rows('insert into tenant_deletions (tenant_id) values ($1) on conflict do nothing', [tenant]);

/** Returns the tables with rows of the tenant. */
async function tablesOf(tenantId: string): Promise<string[]> {
  const found = [];
  for (const { name, tenant } of tables) {
    const rows = await own.fixture.rows(`select from ${name} where ${tenant} = $1 limit 1`, [tenantId]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('the deletion of a tenant', () => {
  it('empties every table with tenants, and those that others refer to after them', async () => {
    const names = tables.map(({ name }) => name);
    expect([...tablesOfTenants, 'tenant_deletions', 'tenants'].sort()).toEqual(names);
    const references = await own.fixture.rows<{ from: string; to: string }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
        where contype = 'f' and confrelid <> 'tenants'::regclass order by 1, 2`,
    );
    expect(references.length).toBeGreaterThan(0);
    const late = references.filter(({ from, to }) => tablesOfTenants.indexOf(from) > tablesOfTenants.indexOf(to));
    expect(late).toEqual([]);
  });

  it('leaves no row of the tenant in any table, and all rows of others', async () => {
    const any = await ServiceDatabase.start('directory');
    try {
      await dropConstraints(any.fixture);
      const [mine, theirs] = [newUuid(), newUuid()];
      for (const table of tables) {
        for (const tenant of [mine, theirs]) await any.fixture.rows(insertion(table, tenant));
      }
      const step = () => any.database.transaction(mine, (tx) => deleteTenantPart(tx, 0));
      let last = await step();
      while (last?.state === 'more') last = await step();
      expect(last).toEqual({ state: 'done', deleted: tables.length - 2 });
      for (const { name, tenant } of tables) {
        const rows = await any.fixture.rows<{ id: string }>(`select ${tenant} as id from ${name}`);
        expect({ name, tenants: rows.map(({ id }) => id) }).toEqual({ name, tenants: [theirs] });
      }
    } finally {
      await any.close();
    }
  });

  it('does nothing for a tenant whose deletion was not requested', async () => {
    const tenant = await own.fixture.tenant();
    expect(await deleted(tenant)).toEqual({ state: undefined, rows: 0 });
    expect(await tablesOf(tenant)).toEqual(['event_sequences', 'tenants']);
  });

  it('continues where a process stopped, and works in parts of bounded size', async () => {
    const tenant = await own.fixture.tenant();
    await own.fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, n, gen_random_uuid(), 'user.created', now(), '{}' from generate_series(1, 12000) n`,
      [tenant],
    );
    await request(tenant);
    const counts = [];
    for (let left = 12_000; left > 0; ) {
      const step = database.transaction(tenant, async (tx) => {
        await deleteTenantPart(tx, 0);
        throw new Error('killed');
      });
      await expect(step).rejects.toThrow('killed');
      await database.transaction(tenant, (tx) => deleteTenantPart(tx, 0));
      const [row] = await own.fixture.rows<{ left: number }>(
        'select count(*)::integer as left from events where tenant_id = $1',
        [tenant],
      );
      if (row?.left !== left) counts.push(left - (row?.left ?? 0));
      left = row?.left ?? 0;
    }
    expect(counts).toEqual([5_000, 5_000, 2_000]);
    expect(await deleted(tenant)).toEqual({ state: 'done', rows: 12_001 });
    expect(await tablesOf(tenant)).toEqual([]);
  });

  it('waits until transactions from before the request have ended, and deletes the rows that they added', async () => {
    const tenant = await own.fixture.tenant();
    await request(tenant);
    expect((await deleted(tenant, 60_000)).state).toBe('waiting');
    expect(await tablesOf(tenant)).toEqual(['tenant_deletions', 'tenants']);
    await own.fixture.connector(tenant);
    expect((await deleted(tenant, 60_000)).state).toBe('waiting');
    expect(await tablesOf(tenant)).toEqual(['tenant_deletions', 'tenants']);
    expect((await deleted(tenant)).state).toBe('done');
  });

  it('is left to the process that works on it', async () => {
    const tenant = await own.fixture.tenant();
    await request(tenant);
    await database.transaction(tenant, async (tx) => {
      expect((await deleteTenantPart(tx, 0))?.state).toBe('more');
      expect(await database.transaction(tenant, (other) => deleteTenantPart(other, 0))).toBeUndefined();
    });
  });

  it('is known to every service from the request on', async () => {
    const tenant = await own.fixture.tenant();
    expect(await isTenantDeleted(database, tenant)).toBe(false);
    await request(tenant);
    expect(await isTenantDeleted(database, tenant)).toBe(true);
    await deleted(tenant);
    expect(await isTenantDeleted(database, tenant)).toBe(true);
  });
});
