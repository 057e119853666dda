import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;
let hr: string;
let accounts: string;
let machines: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  accounts = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
  machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
});

afterAll(() => directory?.close());

const erase = async (identity_id: string) => {
  expect(await directory.operate('identity.erase', { identity_id, reason: 'asked to' })).toMatchObject({
    status: 'done',
  });
};

/** Rows of any table of the tenant that hold the word, whatever its case; batches are the sync-worker's, which deletes them. */
async function traces(word: string): Promise<Record<string, unknown[]>> {
  const tables = await directory.fixture.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'tenant_id' and table_name <> 'sync_batches' order by 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const rows = await directory.fixture.rows(
      `select t::text as row from ${name} t where tenant_id = $1 and t::text ilike $2`,
      [directory.tenant, `%${word}%`],
    );
    if (rows.length > 0) found[name] = rows;
  }
  return found;
}

describe('who is erased', () => {
  it('leaves nothing in events from before an account was matched', async () => {
    await directory.sync(accounts, [row('wqz-login', { employee_number: 'wqz7', first_name: 'Wqz' })]);
    await directory.sync(accounts, [row('wqz-login', { employee_number: 'wqz7', first_name: 'Wqzette' })]);
    await directory.sync(hr, [row('wqz-1', { employee_number: 'wqz7', last_name: 'Wqzman' })]);
    await erase(await directory.identityOf('wqz-1'));
    expect(await traces('wqz')).toEqual({});
  });

  it('leaves nothing in the identities they were ever part of', async () => {
    await directory.sync(hr, [
      row('keep', { email: 'keep@x.org', first_name: 'Keep' }),
      row('wqz-2', { email: 'wqz@x.org', first_name: 'Wqz' }),
    ]);
    const [keep, old] = [await directory.identityOf('keep'), await directory.identityOf('wqz-2')];
    await directory.operate('identity.merge', { into_id: keep, from_ids: [old] });
    await directory.sync(hr, [
      row('keep', { email: 'keep@x.org', first_name: 'Kept' }),
      row('wqz-2', { email: 'wqz.later@x.org', first_name: 'Wqzette' }),
    ]);
    const record = await directory.record('wqz-2');
    await directory.operate('identity.split', { identity_id: keep, record_ids: [record.id] });
    await erase(await directory.identityOf('wqz-2'));
    expect(await traces('wqz')).toEqual({});
    expect(Object.keys(await traces('keep@x.org'))).toContain('identities');
  });

  it('is not brought back by taking back a merge', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })]);
    const [into_id, from] = [await directory.identityOf('a'), await directory.identityOf('b')];
    const { id } = await directory.operate('identity.merge', { into_id, from_ids: [from] });
    await erase(into_id);
    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({
      status: 'refused',
      result: { error: 'the records it moved are there no more' },
    });
  });

  it('is named by no machine any more, in whichever role and by whatever name', async () => {
    await directory.sync(hr, [
      row('wqz-3', { email: 'wqz@x.org', employee_number: 'wqz9' }),
      row('other', { email: 'other@x.org' }),
    ]);
    await directory.sync(machines, [
      row('own', { owned_by: 'WQZ@x.org', technical_inheritor: 'other@x.org' }),
      row('led', { owned_by: 'other@x.org', manager_id: 'wqz9', technical_inheritor: 'wqz-3' }),
      row('keyed', { email: 'wqz@x.org' }),
    ]);
    await erase(await directory.identityOf('wqz-3'));
    expect(await traces('wqz')).toEqual({});
    expect(await directory.record('led')).toMatchObject({ fields: { owned_by: ['other@x.org'] }, status: 'active' });
    expect(await directory.record('keyed')).toMatchObject({ status: 'orphaned' });
  });
});
