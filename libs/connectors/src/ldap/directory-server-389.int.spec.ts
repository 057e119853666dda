import type { RecordKind } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addLockableRole,
  type DirectoryServer389,
  haveDirectoryServer389,
  manager,
  nsPerson,
  password,
  personDn,
  startDirectoryServer389,
  suffix,
} from '../../test/directory-server-389.js';
import { expectEachAlone } from '../../test/read-one.js';
import { known, read } from '../../test/reading.js';
import { CheckpointExpired, type Connector } from '../connector.js';
import { createConnector } from '../create-connector.js';

if (!haveDirectoryServer389) process.stdout.write('Skipped: 389 Directory Server is not installed\n');
const suite = haveDirectoryServer389 ? describe : describe.skip;

const people = `ou=people,${suffix}`;
const reader = `cn=reader,${suffix}`;
const role = `cn=staff,${suffix}`;
const signal = new AbortController().signal;
const anyone = '(version 3.0; acl "reader"; allow (read, search, compare) userdn = "ldap:///all";)';

suite('a 389 Directory Server source', () => {
  let server: DirectoryServer389;

  beforeAll(async () => {
    server = await startDirectoryServer389();
    await server.assignEntryUuid(false);
    await server.client.add(personDn('ann'), nsPerson('ann'));
    await server.assignEntryUuid(true);
    await server.client.add(personDn('bob'), nsPerson('bob'));
    await server.client.add(personDn('cleo'), {
      objectClass: ['inetOrgPerson'],
      uid: 'cleo',
      cn: 'Cleo',
      sn: 'Cleo',
    });
    const { cn, uid, uidNumber, gidNumber, homeDirectory } = nsPerson('backup');
    const posix = { cn, uid, uidNumber, gidNumber, homeDirectory } as Record<string, string>;
    await server.client.add(personDn('backup'), { objectClass: ['account', 'posixAccount'], ...posix });
    await addLockableRole(server.client, 'staff');
    await server.change(personDn('ann'), 'add', 'nsRoleDN', role);
    await server.client.add(reader, {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      userPassword: password,
    });
    await server.change(suffix, 'add', 'aci', `(targetattr != "userPassword || nsAccountLock")${anyone}`);
  });
  afterAll(() => server?.stop());

  function source(config: Record<string, unknown> = {}, records: RecordKind = 'user'): Connector {
    return createConnector({
      type: 'ldap',
      records,
      config: {
        url: `ldap://127.0.0.1:${server.port}`,
        unencrypted: true,
        bind_dn: manager,
        base_dn: people,
        overlap_seconds: 1,
        ...config,
      },
      secrets: { bind_password: password },
      sourcesDir: '/nowhere',
      allowedCidrs: ['127.0.0.0/8'],
    });
  }

  const namesOf = async (connector: Connector, name: string) =>
    [...known(await read(connector)).values()].map((fields) => fields[name]?.[0]).sort();
  const statusesOf = async (connector: Connector) => {
    const { records } = await read(connector);
    const named = records.map(({ fields }) => [fields.user_principal_name?.[0] ?? '', fields.status?.[0]]);
    return Object.fromEntries(named) as Record<string, string | undefined>;
  };
  const warningsOf = async (connector: Connector) => (await connector.describe?.(signal))?.warnings;

  it('reads entries without entryUUID by nsUniqueId, and all others by entryUUID', async () => {
    const found = new Map((await read(source())).records.map((one) => [one.fields.display_name?.[0], one.external_id]));
    expect(found.get('Person ann')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}$/);
    for (const name of ['Person bob', 'Cleo'])
      expect(found.get(name)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await expectEachAlone(source())).toHaveLength(3);
  });

  it('reads all entries by nsUniqueId if it is the anchor', async () => {
    const { records } = await read(source({ anchor: 'nsUniqueId' }));
    expect(records.map(({ external_id }) => external_id.length)).toEqual([35, 35, 35]);
    expect(await expectEachAlone(source({ anchor: 'nsUniqueId' }))).toHaveLength(3);
  });

  it('reads people of nsPerson as users, and all entries with a posixAccount as accounts', async () => {
    expect(await namesOf(source(), 'user_principal_name')).toEqual(['ann', 'bob', 'cleo']);
    expect(await namesOf(source({}, 'account'), 'identifier')).toEqual(['ann', 'backup', 'bob', 'cleo']);
  });

  it('reads a locked person as inactive', async () => {
    await server.change(personDn('bob'), 'replace', 'nsAccountLock', 'true');
    expect(await statusesOf(source())).toEqual({ ann: 'active', bob: 'inactive', cleo: 'active' });
    await server.change(personDn('bob'), 'delete', 'nsAccountLock');
    expect(await statusesOf(source())).toEqual({ ann: 'active', bob: 'active', cleo: 'active' });
  });

  it('reads the members of a locked role as inactive, and requires a full read when a role has changed', async () => {
    const { checkpoint: since } = await read(source());
    await expect(read(source(), { since })).resolves.toBeDefined();
    const disabled = `cn=nsDisabledRole,${suffix}`;
    await server.change(disabled, 'add', 'nsRoleDN', role);
    await expect(read(source(), { since })).rejects.toThrow(new CheckpointExpired('roles have changed'));
    expect(await statusesOf(source())).toEqual({ ann: 'inactive', bob: 'active', cleo: 'active' });
    const unlocking = (await read(source())).checkpoint;
    await server.change(disabled, 'delete', 'nsRoleDN', role);
    await expect(read(source(), { since: unlocking })).rejects.toThrow(CheckpointExpired);
    expect(await statusesOf(source())).toMatchObject({ ann: 'active' });
  });

  it('does not read roles if the mapping has no status', async () => {
    const config = { fields: { display_name: 'cn' } };
    const { checkpoint: since } = await read(source(config));
    await server.change(role, 'replace', 'description', 'changed');
    await expect(read(source(config), { since })).resolves.toMatchObject({ removed: [] });
  });

  it('warns that locked people appear active if this account cannot read the lock', async () => {
    await server.change(personDn('bob'), 'replace', 'nsAccountLock', 'true');
    const unseen = expect.stringMatching(
      /^none of the first 3 entries has .*nsAccountLock: if this account may not read them, people who are locked appear active$/,
    );
    expect(await warningsOf(source({ bind_dn: reader }))).toContainEqual(unseen);
    expect(await statusesOf(source({ bind_dn: reader }))).toMatchObject({ bob: 'active' });
    expect(await warningsOf(source())).not.toContainEqual(unseen);
    expect(await warningsOf(source({ bind_dn: reader, fields: { display_name: 'cn' } }))).not.toContainEqual(unseen);
    await server.change(personDn('bob'), 'delete', 'nsAccountLock');
  });

  it('warns of people outside the filter, of entries without entryUUID and of deletions', async () => {
    const warnings = await warningsOf(source({ fields: { display_name: 'cn' } }));
    expect(warnings).toEqual([
      '1 of the first 3 entries have no entryUUID, so nsUniqueId is their external_id: it changes when they get entryUUID, unless anchor is nsUniqueId',
      `1 of the first 4 people and accounts below ${people} do not match the filter and are not read`,
      'incremental runs do not see every deleted record: only full runs detect all deletions',
    ]);
    const everyone = { fields: { display_name: 'cn' }, filter: '(uid=*)', anchor: 'nsUniqueId' };
    expect(await warningsOf(source(everyone))).toEqual([
      'incremental runs do not see every deleted record: only full runs detect all deletions',
    ]);
  });

  it('warns that deleted_objects has no effect', async () => {
    const config = { fields: { display_name: 'cn' }, filter: '(uid=*)', anchor: 'nsUniqueId', deleted_objects: true };
    expect(await warningsOf(source(config))).toEqual([expect.stringMatching(/^deleted_objects has no effect, /)]);
  });

  it('examines at most 500 entries', async () => {
    const crowd = `ou=crowd,${suffix}`;
    await server.client.add(crowd, { objectClass: 'organizationalUnit' });
    for (let n = 0; n < 520; n += 1) {
      await server.client.add(`uid=p${n},${crowd}`, { objectClass: 'inetOrgPerson', uid: `p${n}`, cn: 'P', sn: 'P' });
    }
    const some = { base_dn: crowd, filter: '(uid=p1)', fields: { display_name: 'cn' } };
    expect(await warningsOf(source(some))).toContainEqual(
      expect.stringMatching(/^(499|500) of the first 500 people and accounts below .* do not match the filter/),
    );
  });
});
