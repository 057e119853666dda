import { newUuid, type SuppressedBy } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;
let hr: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant);
});

afterAll(() => directory?.close());

const kinds: SuppressedBy[] = ['anchor', 'employee_number', 'email', 'user_principal_name'];

/** Erases the person of a record with a hash of each kind, whose bytes are the name of the kind. */
async function erase(externalId: string): Promise<string> {
  const { id, identity_id } = await directory.record(externalId);
  const suppress = kinds.map((kind) => ({ record_id: id, kind, hash: Buffer.from(kind).toString('base64') }));
  const { id: operation } = await directory.operate('identity.erase', { identity_id, suppress, reason: 'asked' });
  return operation;
}

const stored = async (): Promise<string[]> =>
  (
    await directory.fixture.rows<{ hash: Buffer }>('select hash from suppression_hashes where tenant_id = $1', [
      directory.tenant,
    ])
  )
    .map(({ hash }) => hash.toString())
    .sort();

describe('an erasure', () => {
  it('stores the hashes of the anchor and of the match keys of the person, and their time', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org', employee_number: 'E1' })]);
    const identity = await directory.identityOf('a');
    const operation = await erase('a');
    expect(await stored()).toEqual(['anchor', 'email', 'employee_number']);
    expect(
      await directory.fixture.rows('select identity_id, operation_id from suppressions where tenant_id = $1', [
        directory.tenant,
      ]),
    ).toEqual([{ identity_id: identity, operation_id: operation }]);
    const [{ input } = { input: {} }] = await directory.fixture.rows<{ input: object }>(
      'select input from operations where id = $1',
      [operation],
    );
    expect(input).toEqual({ identity_id: identity, reason: 'asked' });
  });

  it('stores no hash of a placeholder, of a mailbox of a function, or of a key that others have too', async () => {
    await directory.sync(hr, [
      row('a', { email: 'info@x.org', employee_number: 'N/A', user_principal_name: 'u@x.org', first_name: 'Ann' }),
      row('b', { user_principal_name: 'u@x.org', employee_number: 'E2', first_name: 'Bob' }),
    ]);
    expect(await directory.identityOf('a')).not.toBe(await directory.identityOf('b'));
    await erase('a');
    expect(await stored()).toEqual(['anchor']);
  });

  it('stores the hash of an address that only an account of the person has', async () => {
    const logins = await directory.fixture.connector(directory.tenant, { records: 'account' });
    await directory.sync(hr, [row('a', { employee_number: 'E1' })]);
    await directory.sync(logins, [row('login', { employee_number: 'E1', email: 'a@x.org' })]);
    expect(await directory.identityOf('login')).toBe(await directory.identityOf('a'));
    await erase('login');
    expect(await stored()).toEqual(['anchor', 'email', 'employee_number']);
  });

  it('stores no hash of a record that belongs to another person', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' }), row('b', { email: 'b@x.org' })]);
    const { identity_id } = await directory.record('a');
    const { id } = await directory.record('b');
    const suppress = [{ record_id: id, kind: 'anchor' as const, hash: 'YQ==' }];
    await directory.operate('identity.erase', { identity_id, suppress });
    expect(await stored()).toEqual([]);
  });

  it('without hashes suppresses nothing', async () => {
    await directory.sync(hr, [row('a', { email: 'a@x.org' })]);
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('a') });
    expect(await directory.fixture.rows('select from suppressions where tenant_id = $1', [directory.tenant])).toEqual(
      [],
    );
  });

  it('that is refused keeps no hash in its operation', async () => {
    const suppress = [{ record_id: newUuid(), kind: 'anchor' as const, hash: 'YQ==' }];
    const { id, status } = await directory.operate('identity.erase', { identity_id: newUuid(), suppress });
    expect(status).toBe('refused');
    const rows = await directory.fixture.rows<{ input: object }>('select input from operations where id = $1', [id]);
    expect(rows[0]?.input).not.toHaveProperty('suppress');
  });
});
