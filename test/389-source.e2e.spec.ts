import { afterAll, beforeAll, expect, it } from '@jest/globals';
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
} from '../libs/connectors/test/directory-server-389.js';
import { describeWith, FollowedSource } from './support/followed-source.js';
import { Gate } from './support/gate.js';

const crowd = 20;
const people = `ou=people,${suffix}`;
const staff = `cn=staff,${suffix}`;
const disabledRoles = `cn=nsDisabledRole,${suffix}`;
const dan = { ...nsPerson('dan') };

const leaves = (name: string) => {
  const events = [
    `identity.deleted ${name}: status`,
    `user.deleted ${name}: status`,
    `lifecycle.leaver ${name}: status`,
  ];
  return { events, unseenByChanges: events };
};

describeWith(haveDirectoryServer389, '389 Directory Server: 389-ds-base is not installed, or the tests are not root')(
  'a 389 Directory Server source',
  () => {
    let server: DirectoryServer389;
    let gate: Gate;
    let source: FollowedSource;

    beforeAll(async () => {
      server = await startDirectoryServer389();
      await server.assignEntryUuid(false);
      await server.client.add(personDn('ann'), nsPerson('ann'));
      await server.assignEntryUuid(true);
      for (let n = 0; n < crowd; n += 1) await server.client.add(personDn(`user${n}`), nsPerson(`user${n}`));
      await addLockableRole(server.client, 'staff');
      await server.change(personDn('user1'), 'add', 'nsRoleDN', staff);
      gate = await Gate.before(server.port);
      source = await FollowedSource.start([
        {
          type: 'ldap',
          name: '389',
          records: 'user',
          secrets: { bind_password: password },
          config: {
            url: `ldap://127.0.0.1:${gate.port}`,
            unencrypted: true,
            bind_dn: manager,
            base_dn: people,
          },
        },
      ]);
    });
    afterAll(async () => {
      await source?.stop();
      await gate?.close();
      await server?.stop();
    });

    it('is shown by a connection test with what a run would not see', async () => {
      const { status, records, errors, warnings } = await source.probe('test');
      expect([status, records.length, errors]).toEqual(['done', 5, []]);
      expect(warnings).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^none of the first 21 entries has .*nsAccountLock: .* people who are locked appear/),
          expect.stringMatching(/^1 of the first 21 entries have no entryUUID, so nsUniqueId is their external_id/),
          'incremental runs do not see every deleted record: only full runs detect all deletions',
          'none of the first 21 records has a value for employee_number',
        ]),
      );
    });

    it('imports everyone with one event each, also entries without entryUUID', async () => {
      const all = crowd + 1;
      expect(await source.first()).toEqual({ 'identity.created': all, 'user.created': all, 'lifecycle.joiner': all });
      expect(await source.identity('ann')).toMatchObject({
        status: 'active',
        users: [{ user_principal_name: 'ann', email: 'ann@example.test' }],
      });
    });

    it('emits events for added and changed people, and keeps an identity with a new login', async () => {
      await source.after(() => server.client.add(personDn('dan'), dan), {
        events: ['identity.created dan', 'user.created dan', 'lifecycle.joiner dan'],
      });
      const { id } = await source.identity('ann');
      await source.after(() => server.client.modifyDN(personDn('ann'), personDn('anna')), {
        events: ['identity.updated ann: user_principal_name', 'user.updated ann: user_principal_name'],
      });
      expect(await source.identity('ann')).toMatchObject({ id, users: [{ user_principal_name: 'anna' }] });
    });

    it('makes a locked person inactive until the lock ends', async () => {
      const dn = personDn('anna');
      await source.after(() => server.change(dn, 'replace', 'nsAccountLock', 'true'), {
        events: [
          'identity.status_changed ann: status',
          'user.status_changed ann: status',
          'lifecycle.leaver ann: status',
        ],
      });
      expect(await source.identity('ann')).toMatchObject({ status: 'inactive', users: [{ status: 'inactive' }] });
      await source.after(() => server.change(dn, 'delete', 'nsAccountLock'), {
        events: [
          'identity.status_changed ann: status',
          'user.status_changed ann: status',
          'lifecycle.rejoiner ann: status',
        ],
      });
    });

    it('makes the members of a locked role inactive in the next run, which reads everything', async () => {
      const becauseFull = 'everything was read: roles have changed';
      const changed = ['identity.status_changed user1: status', 'user.status_changed user1: status'];
      await source.after(() => server.change(disabledRoles, 'add', 'nsRoleDN', staff), {
        events: [...changed, 'lifecycle.leaver user1: status'],
        becauseFull,
      });
      expect(await source.identity('user1')).toMatchObject({ status: 'inactive' });
      await source.after(() => server.change(disabledRoles, 'delete', 'nsRoleDN', staff), {
        events: [...changed, 'lifecycle.rejoiner user1: status'],
        becauseFull,
      });
    });

    it('deletes missing people in the next full read', async () => {
      await source.after(() => server.client.del(personDn('dan')), leaves('dan'));
    });

    it('retains everyone when the server stops during a read', async () => {
      await source.survivesRestart(gate, server);
    });

    it('is unchanged by another full read and matches all histories', async () => {
      await source.expectNoFurtherEvents();
    });
  },
);
