import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { byteas, integers, jsons, texts, times, uuids } from './arrays.js';
import { Database, type NamedQuery, type Transaction } from './database.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
});

afterAll(() => own?.close());

describe('a statement that is used often', () => {
  let tenant: string;

  beforeAll(async () => {
    tenant = await own.fixture.tenant();
    await own.fixture.rows('create table notes (n integer, text text)');
    await own.fixture.rows('grant select, insert on notes to public');
  });

  const insert = 'insert into notes select n, $2 from unnest($1::integer[]) as n returning *';
  const write = (...numbers: number[]) => own.database.transaction(tenant, (tx) => tx.query(insert, [numbers, 'x']));
  /** The statements that the connection of a transaction has prepared. */
  const prepared = () =>
    own.database.transaction(tenant, async (tx) => {
      const rows = await tx.query<{ statement: string }>('select statement from pg_prepared_statements');
      return rows.map(({ statement }) => statement);
    });

  it('is prepared, and still executed when its table has other columns', async () => {
    for (let n = 0; n < 25; n += 1) expect(await write(n)).toEqual([{ n, text: 'x' }]);
    expect(await prepared()).toContain(insert);
    // On each of the connections.
    await Promise.all(Array.from({ length: 30 }, (_, n) => write(n)));
    await own.fixture.rows('alter table notes add column more integer default 7');
    const answers = await Promise.all(Array.from({ length: 30 }, () => write(1)));
    expect(answers).toEqual(Array(30).fill([{ n: 1, text: 'x', more: 7 }]));
  });

  it('is prepared once by executions that do not wait for each other, and reports the first error of them', async () => {
    const both = 'insert into notes (n) select n from unnest($1::integer[]) as n returning n';
    for (let n = 0; n < 20; n += 1) await own.database.transaction(tenant, (tx) => tx.query(both, [[n]]));
    const results = await own.database.transaction(tenant, (tx) =>
      Promise.all([tx.query(both, [[1]]), tx.query(both, [[2]])]),
    );
    expect(results).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    const other = `${both} `;
    for (let n = 0; n < 20; n += 1) await own.database.transaction(tenant, (tx) => tx.query(other, [[n]]));
    const failed = own.database.transaction(tenant, async (tx) => {
      const all = [tx.query('select 1 / $1::integer', [0]), tx.query(other, [[1]]), tx.query(other, [[2]])];
      const states = (await Promise.allSettled(all)).map((each) => each.status === 'rejected' && each.reason.code);
      expect(states).toEqual(['22012', '22012', '22012']);
      await Promise.all(all);
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await own.database.transaction(tenant, (tx) => tx.query(other, [[3]]))).toEqual([{ n: 3 }]);
  });

  it('sees and changes only rows of the tenant of its transaction, whichever tenants used its connection before', async () => {
    const tenants = [tenant, await own.fixture.tenant(), await own.fixture.tenant()];
    for (const id of tenants) await own.fixture.connector(id);
    const text = 'update connectors set name = name || $1::text returning tenant_id as id';
    for (let n = 0; n < 90; n += 1) {
      const id = tenants[n % tenants.length] ?? tenant;
      expect(await own.database.transaction(id, (tx) => tx.query(text, ['']))).toEqual([{ id }]);
    }
    expect(await prepared()).toContain(text);
  });

  it('is not prepared in a transaction that only reads', async () => {
    const text = 'select n from notes where n = $1 and true';
    for (let n = 0; n < 30; n += 1) await own.database.readTransaction(tenant, (tx) => tx.query(text, [n]));
    expect(await prepared()).not.toContain(text);
  });
});

describe('a transaction', () => {
  it('runs afterCommit callbacks after a commit and not after a rollback', async () => {
    const ran: string[] = [];
    await own.database.withoutTenant(async (tx) => tx.afterCommit(() => ran.push('committed')));
    const failed = own.database.withoutTenant(async (tx) => {
      tx.afterCommit(() => ran.push('rolled back'));
      await tx.query('select 1 / 0');
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(ran).toEqual(['committed']);
  });

  it('rolls back a part of a transaction with its afterCommit callbacks, and returns its result', async () => {
    const ran: string[] = [];
    const found = await own.database.withoutTenant(async (tx) => {
      tx.afterCommit(() => ran.push('before'));
      const inside = await tx.rolledBack(async () => {
        tx.afterCommit(() => ran.push('rolled back'));
        await tx.query(`set local application_name = 'inside'`);
        return tx.query('show application_name');
      });
      tx.afterCommit(() => ran.push('after'));
      return [inside, await tx.query('show application_name')];
    });
    expect(found[0]).toEqual([{ application_name: 'inside' }]);
    expect(found[1]).not.toEqual(found[0]);
    expect(ran).toEqual(['before', 'after']);
  });

  it('rolls back a failed part of a transaction with its afterCommit callbacks, and commits the others', async () => {
    const ran: string[] = [];
    const part = (tx: Transaction, name: string, sql: string) =>
      tx.attempt(async () => {
        tx.afterCommit(() => ran.push(name));
        await tx.query(`set local application_name = '${name}'`);
        await tx.query(sql);
        return name;
      });
    const found = await own.database.withoutTenant(async (tx) => {
      const first = await part(tx, 'first', 'select 1');
      await expect(part(tx, 'second', 'select 1 / 0')).rejects.toThrow('division by zero');
      const left = await tx.query('show application_name');
      return [first, left, await part(tx, 'third', 'select 1')];
    });
    expect(found).toEqual(['first', [{ application_name: 'first' }], 'third']);
    expect(ran).toEqual(['first', 'third']);
  });
});

describe('a single statement', () => {
  /** One connection, so that each read follows the previous one on it. */
  let narrow: Database;
  const tenants = [newUuid(), newUuid()] as const;

  const ids: NamedQuery = {
    name: 'ids',
    text: 'select tenant_id as id, 1.5::float8 as number from identities',
    values: [],
  };

  beforeAll(async () => {
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
      await expect(narrow.read(tenants[0], { name: 'division', text, values: [0] })).rejects.toThrow(
        'division by zero',
      );
      expect(await narrow.read(tenants[0], { name: 'division', text, values: [1] })).toEqual([{ one: 1 }]);
      await expect(narrow.read(tenants[0], { name: 'typo', text: 'selekt', values: [] })).rejects.toThrow(
        'syntax error',
      );
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
      const other = await Database.connect({ url: own.url, service: 'gateway', poolSize: 1 });
      try {
        const tenantRows = { name: 'tenants', text: 'select id from tenants', values: [] };
        expect(await other.readAcrossTenants(tenantRows)).toHaveLength(
          (await own.fixture.rows('select id from tenants')).length,
        );
        const text = `select current_setting('enable_seqscan') as scan`;
        expect(await other.acrossTenants((tx) => tx.query(text))).toEqual([{ scan: 'on' }]);
        expect(await narrow.readAcrossTenants(query)).toEqual([]);
      } finally {
        await other.close();
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
});

describe('binary arrays', () => {
  /** Any text that PostgreSQL can store. */
  const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });

  /** Returns the array as PostgreSQL parses it, as JSON. */
  const read = async (type: string, values: Buffer): Promise<unknown> => {
    const [row] = await own.fixture.rows<{ value: unknown }>(`select to_jsonb($1::${type}[]) as value`, [values]);
    return row?.value;
  };

  it.each<[string, (values: never[]) => Buffer, fc.Arbitrary<unknown>, (value: never) => unknown]>([
    ['text', texts, text, (value) => value],
    ['jsonb', jsons, fc.dictionary(text, text), (value) => value],
    ['uuid', uuids, fc.uuid(), (value) => value],
    ['integer', integers, fc.integer(), (value) => value],
    [
      'bytea',
      byteas,
      fc.uint8Array().map((value) => Buffer.from(value)),
      (value: Buffer) => `\\x${value.toString('hex')}`,
    ],
  ])('of %s arrive as they were, nulls and emptiness included', async (type, encode, one, shown) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(one)), async (values) => {
        const expected = values.map((value) => (value === null ? null : shown(value as never)));
        expect(await read(type, encode(values as never[]))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('of timestamptz keep milliseconds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(moment)), async (values) => {
        const found = await own.fixture.rows<{ at: Date | null }>('select unnest($1::timestamptz[]) as at', [
          times(values),
        ]);
        expect(found.map(({ at }) => at?.getTime() ?? null)).toEqual(values.map((at) => at?.getTime() ?? null));
      }),
      { numRuns: 50 },
    );
  });
});
