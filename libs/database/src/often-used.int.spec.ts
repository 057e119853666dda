import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from './database.js';

let testDatabase: TestDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  fixture = DirectoryFixture.connect(testDatabase.url);
  database = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  tenant = await fixture.tenant();
  await fixture.rows('create table notes (n integer, text text)');
  await fixture.rows('grant select, insert on notes to public');
});

afterAll(async () => {
  await database?.close();
  await fixture?.close();
  await testDatabase?.drop();
});

const insert = 'insert into notes select n, $2 from unnest($1::integer[]) as n returning *';
const write = (...numbers: number[]) => database.transaction(tenant, (tx) => tx.query(insert, [numbers, 'x']));
/** The statements that the connection of a transaction has prepared. */
const prepared = () =>
  database.transaction(tenant, async (tx) => {
    const rows = await tx.query<{ statement: string }>('select statement from pg_prepared_statements');
    return rows.map(({ statement }) => statement);
  });

describe('a statement that is used often', () => {
  it('is prepared, and still executed when its table has other columns', async () => {
    for (let n = 0; n < 25; n += 1) expect(await write(n)).toEqual([{ n, text: 'x' }]);
    expect(await prepared()).toContain(insert);
    // On each of the connections.
    await Promise.all(Array.from({ length: 30 }, (_, n) => write(n)));
    await fixture.rows('alter table notes add column more integer default 7');
    const answers = await Promise.all(Array.from({ length: 30 }, () => write(1)));
    expect(answers).toEqual(Array(30).fill([{ n: 1, text: 'x', more: 7 }]));
  });

  it('is prepared once by executions that do not wait for each other, and reports the first error of them', async () => {
    const both = 'insert into notes (n) select n from unnest($1::integer[]) as n returning n';
    for (let n = 0; n < 20; n += 1) await database.transaction(tenant, (tx) => tx.query(both, [[n]]));
    const results = await database.transaction(tenant, (tx) =>
      Promise.all([tx.query(both, [[1]]), tx.query(both, [[2]])]),
    );
    expect(results).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    const other = `${both} `;
    for (let n = 0; n < 20; n += 1) await database.transaction(tenant, (tx) => tx.query(other, [[n]]));
    const failed = database.transaction(tenant, async (tx) => {
      const all = [tx.query('select 1 / $1::integer', [0]), tx.query(other, [[1]]), tx.query(other, [[2]])];
      const states = (await Promise.allSettled(all)).map((each) => each.status === 'rejected' && each.reason.code);
      expect(states).toEqual(['22012', '22012', '22012']);
      await Promise.all(all);
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await database.transaction(tenant, (tx) => tx.query(other, [[3]]))).toEqual([{ n: 3 }]);
  });

  it('sees and changes only rows of the tenant of its transaction, whichever tenants used its connection before', async () => {
    const tenants = [tenant, await fixture.tenant(), await fixture.tenant()];
    for (const id of tenants) await fixture.connector(id);
    const text = 'update connectors set name = name || $1::text returning tenant_id as id';
    for (let n = 0; n < 90; n += 1) {
      const own = tenants[n % tenants.length] ?? tenant;
      expect(await database.transaction(own, (tx) => tx.query(text, ['']))).toEqual([{ id: own }]);
    }
    expect(await prepared()).toContain(text);
  });

  it('is not prepared in a transaction that only reads', async () => {
    const text = 'select n from notes where n = $1 and true';
    for (let n = 0; n < 30; n += 1) await database.readTransaction(tenant, (tx) => tx.query(text, [n]));
    expect(await prepared()).not.toContain(text);
  });
});
