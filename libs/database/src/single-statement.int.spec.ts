import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, type NamedQuery } from './database.js';

let own: ServiceDatabase;
/** One connection, so that each read follows the previous one on it. */
let narrow: Database;
const tenants = [newUuid(), newUuid()] as const;

const ids: NamedQuery = {
  name: 'ids',
  text: 'select tenant_id as id, 1.5::float8 as number from identities',
  values: [],
};

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  narrow = await Database.connect({ url: own.url, service: 'gateway', poolSize: 1 });
  for (const tenant of tenants) {
    await own.fixture.rows(
      `insert into identities (id, tenant_id, status, created_at, updated_at, document)
       values (gen_random_uuid(), $1, 'active', now(), now(), '{}')`,
      [tenant],
    );
  }
});

afterAll(async () => {
  await narrow?.close();
  await own?.close();
});

describe('a single read', () => {
  it('sees only rows of its tenant, also on a connection that has read those of another one', async () => {
    for (const tenant of [...tenants, ...tenants]) {
      expect(await narrow.read(tenant, ids)).toEqual([{ id: tenant, number: 1.5 }]);
      expect(await narrow.readTexts(tenant, ids)).toEqual([[tenant, '1.5']]);
    }
  });

  it('leaves no tenant and no setting on its connection', async () => {
    await narrow.read(tenants[0], ids);
    const text = `select nullif(current_setting('idsync.tenant_id', true), '') as tenant,
                         current_setting('enable_bitmapscan') as bitmapscan`;
    expect(await narrow.acrossTenants((tx) => tx.query(text))).toEqual([{ tenant: null, bitmapscan: 'on' }]);
    expect(await narrow.withoutTenant((tx) => tx.query('select id from identities'))).toEqual([]);
  });

  it('cannot write', async () => {
    const text = "delete from api_keys where tenant_id = $1 returning 'gone'";
    const write = narrow.read(tenants[0], { name: 'write', text, values: [tenants[0]] });
    await expect(write).rejects.toThrow('cannot execute DELETE in a read-only transaction');
  });

  it('that fails does not affect the following ones', async () => {
    const text = 'select 1 / $1::integer as one';
    await expect(narrow.read(tenants[0], { name: 'division', text, values: [0] })).rejects.toThrow('division by zero');
    expect(await narrow.read(tenants[0], { name: 'division', text, values: [1] })).toEqual([{ one: 1 }]);
    await expect(narrow.read(tenants[0], { name: 'typo', text: 'selekt', values: [] })).rejects.toThrow('syntax error');
    expect(await narrow.readTexts(tenants[1], ids)).toHaveLength(1);
  });

  it('keeps the order of results among concurrent reads and transactions', async () => {
    const echo = (n: number) => ({ name: 'echo', text: 'select $1::integer as n', values: [n] });
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0
          ? own.database.transaction(tenants[0], (tx) => tx.query('select $1::integer as n', [n]))
          : own.database.read(tenants[n % 2 === 0 ? 0 : 1], echo(n)),
      ),
    );
    expect(results).toEqual(Array.from({ length: 60 }, (_, n) => [{ n }]));
  });
});

describe('a single search', () => {
  it('sees rows of all tenants, and leaves no setting on its connection', async () => {
    const query = { name: 'all-ids', text: 'select tenant_id as id from identities order by id', values: [] };
    const directory = await Database.connect({ url: own.url, service: 'directory', poolSize: 1 });
    try {
      const tenantRows = { name: 'tenants', text: 'select id from tenants', values: [] };
      expect(await directory.readAcrossTenants(tenantRows)).toHaveLength(
        (await own.fixture.rows('select id from tenants')).length,
      );
      const text = `select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scan`;
      expect(await directory.acrossTenants((tx) => tx.query(text))).toEqual([{ plans: 'auto', scan: 'on' }]);
      expect(await narrow.readAcrossTenants(query)).toEqual([]);
    } finally {
      await directory.close();
    }
  });

  it('writes nothing', async () => {
    const text = "delete from api_keys returning 'gone'";
    await expect(narrow.readAcrossTenants({ name: 'delete-all', text, values: [] })).rejects.toThrow(
      'cannot execute DELETE in a read-only transaction',
    );
  });
});

describe('a single write', () => {
  const message = {
    name: 'enqueue',
    text: `insert into outbox (producer, message_id, type, message)
    values (current_user, gen_random_uuid(), 'sync.job.ended', '{}')`,
    values: [],
  };

  it('is committed, with and without rows as its result, also beside concurrent statements', async () => {
    await narrow.writeWithoutTenant(message);
    const [read, written] = await Promise.all([
      narrow.read(tenants[0], ids),
      narrow.writeWithoutTenant({ ...message, name: 'enqueue-returning', text: `${message.text} returning type` }),
      narrow.writeWithoutTenant(message),
    ]);
    expect(read).toEqual([{ id: tenants[0], number: 1.5 }]);
    expect(written).toEqual([{ type: 'sync.job.ended' }]);
    expect(await own.fixture.rows('select count(*)::int as count from outbox')).toEqual([{ count: 3 }]);
  });

  it('sees rows of no tenant, and leaves no tenant on its connection', async () => {
    expect(await narrow.writeWithoutTenant(ids)).toEqual([]);
    const text = `select nullif(current_setting('idsync.tenant_id', true), '') as tenant`;
    expect(await narrow.acrossTenants((tx) => tx.query(text))).toEqual([{ tenant: null }]);
  });
});
