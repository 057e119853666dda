import { ldapMappings } from '@idsync/contracts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { administrator, domain, haveSamba, password, type Samba, startSamba } from '../libs/connectors/test/samba.js';
import { describeWith, FollowedSource } from './support/followed-source.js';
import { Gate } from './support/gate.js';

const people = `OU=People,${domain}`;
const groups = `OU=Groups,${domain}`;
const services = `OU=Services,${domain}`;
const [enabled, disabled] = ['544', '546'];
const mapped = ldapMappings.active_directory;
/** Windows file times for 2020 and for "never". */
const [past, never] = ['132223104000000000', '9223372036854775807'];

describeWith(haveSamba, 'Active Directory: samba is not installed, or this is not root on Linux')(
  'an Active Directory source',
  () => {
    let samba: Samba;
    let gate: Gate;
    let source: FollowedSource;

    beforeAll(async () => {
      samba = await startSamba();
      for (const ou of [people, groups, services, `OU=Gone,${domain}`, `OU=North,${people}`]) {
        await samba.client.add(ou, { objectClass: 'organizationalUnit' });
      }
      for (const name of ['ann', 'bob', 'cleo']) await addUser(name);
      await addGroup('Staff', `CN=ann,${people}`);
      await addGroup('Everybody', `CN=Staff,${groups}`);
      await addUser('svc-sql', { servicePrincipalName: 'MSSQLSvc/db.example.test' }, services);
      await samba.client.add(`CN=gmsa,${services}`, {
        objectClass: 'msDS-GroupManagedServiceAccount',
        sAMAccountName: 'gmsa$',
        userAccountControl: '4096',
        'msDS-ManagedPasswordInterval': '30',
        managedBy: `CN=ann,${people}`,
      });
      gate = await Gate.before(636, samba.address);
      const connector = (name: string, records: keyof typeof mapped, priority: number, base: string) => ({
        ...{ type: 'ldap', name, records, priority, secrets: { bind_password: password } },
        config: {
          url: `ldaps://127.0.0.1:${gate.port}`,
          server_name: 'dc1.example.test',
          ca: samba.ca,
          bind_dn: administrator,
          base_dn: base,
          groups: { nested: true },
          deleted_objects: true,
          fields: { ...mapped[records].fields, 'attributes.dn': 'dn' },
        },
      });
      source = await FollowedSource.start([
        connector('People', 'user', 10, people),
        connector('Accounts', 'account', 20, people),
        connector('Services', 'machine_identity', 30, services),
      ]);
    });
    afterAll(async () => {
      await source?.stop();
      await gate?.close();
      await samba?.stop();
    });

    async function addUser(name: string, more: Record<string, string> = {}, ou = people): Promise<void> {
      await samba.client.add(`CN=${name},${ou}`, {
        objectClass: 'user',
        sAMAccountName: name,
        userPrincipalName: `${name}@example.test`,
        mail: `${name}@example.test`,
        displayName: `The ${name}`,
        userAccountControl: enabled,
        ...more,
      });
    }

    const addGroup = (name: string, member: string) =>
      samba.client.add(`CN=${name},${groups}`, { objectClass: 'group', sAMAccountName: name, member });
    const set = (dn: string, type: string, ...values: string[]) => samba.change(dn, 'replace', type, ...values);

    it('is shown by a connection test and a discovery', async () => {
      const { status, records, errors } = await source.probe('test');
      expect([status, records.length, errors]).toEqual(['done', 3, []]);
      const { fields } = await source.probe('discover', 2);
      const names = fields.map(({ name }: { name: string }) => name);
      expect(names).toEqual(expect.arrayContaining(['@owner', 'objectGUID', 'servicePrincipalName']));
    });

    it('imports people with their accounts, and machines with their owners', async () => {
      expect(await source.first()).toEqual({
        'identity.created': 4,
        'user.created': 3,
        'account.created': 3,
        'account.linked': 3,
        'lifecycle.joiner': 3,
        'machine_identity.created': 2,
      });
      expect(await source.identity('ann')).toMatchObject({
        status: 'active',
        users: [{ user_principal_name: 'ann@example.test', groups: ['Domain Users', 'Everybody', 'Staff', 'Users'] }],
        accounts: [{ identifier: 'ann', status: 'active' }],
        machine_identities: [{ display_name: 'gmsa', classification: 'service_account', status: 'active' }],
      });
    });

    const renamed = `CN=anna,${people}`;
    const leaves = (name: string) => [
      `identity.status_changed ${name}: status`,
      `user.status_changed ${name}: status`,
      `account.disabled ${name}: status`,
      `lifecycle.leaver ${name}: status`,
    ];
    const returns = (name: string) => [
      `identity.status_changed ${name}: status`,
      `user.status_changed ${name}: status`,
      `account.updated ${name}: status`,
      `lifecycle.rejoiner ${name}: status`,
    ];
    const isGone = (name: string) => [
      `identity.deleted ${name}: status`,
      `user.deleted ${name}: status`,
      `account.deleted ${name}: status`,
      `lifecycle.leaver ${name}: status`,
    ];

    it('emits events for added and changed people', async () => {
      await source.after(() => addUser('dan'), {
        events: [
          ...['identity.created dan', 'user.created dan', 'lifecycle.joiner dan'],
          ...['account.created dan', 'account.linked dan: person_id'],
        ],
      });
      await source.after(() => set(`CN=ann,${people}`, 'title', 'Head'), {
        events: [
          ...['identity.updated ann: job_title', 'user.updated ann: job_title', 'lifecycle.mover ann: job_title'],
          'account.updated ann: job_title',
        ],
      });
    });

    it('keeps identity and machine of a person with a new name and login', async () => {
      const { id } = await source.identity('ann');
      const rename = async () => {
        await samba.client.modifyDN(`CN=ann,${people}`, renamed);
        await set(renamed, 'userPrincipalName', 'anna@example.test');
        await set(renamed, 'sAMAccountName', 'anna');
      };
      await source.after(rename, {
        events: [
          'identity.updated ann: dn, user_principal_name',
          'user.updated ann: attributes.dn, user_principal_name',
          'account.updated ann: attributes.dn, identifier, user_principal_name',
        ],
      });
      expect(await source.identity('ann')).toMatchObject({
        id,
        users: [{ user_principal_name: 'anna@example.test' }],
        accounts: [{ identifier: 'anna' }],
        machine_identities: [{ display_name: 'gmsa' }],
      });
    });

    it('marks disabled and expired people as left, which orphans their machines until they return', async () => {
      const machine = (what: string) => [
        `machine_identity.${what} gmsa: status`,
        'machine_identity.risk_changed gmsa: risk_score',
      ];
      await source.after(() => set(renamed, 'userAccountControl', disabled), {
        events: [...leaves('ann'), ...machine('orphaned')],
      });
      expect(await source.identity('ann')).toMatchObject({
        status: 'inactive',
        accounts: [{ status: 'disabled' }],
        machine_identities: [{ status: 'orphaned' }],
      });
      await source.after(() => set(renamed, 'userAccountControl', enabled), {
        events: [...returns('ann'), ...machine('updated')],
      });
      await source.after(() => set(`CN=bob,${people}`, 'accountExpires', past), {
        events: [...leaves('bob'), 'account.updated bob: attributes.expires_at', 'identity.updated bob: expires_at'],
      });
      await source.after(() => set(`CN=bob,${people}`, 'accountExpires', never), {
        events: [...returns('bob'), 'account.updated bob: attributes.expires_at', 'identity.updated bob: expires_at'],
      });
    });

    it('keeps a person whose login gets a service principal name', async () => {
      const attribute = 'attributes.machine_attribute';
      const events = [
        'identity.updated bob: machine_attribute',
        `user.updated bob: ${attribute}`,
        `account.updated bob: ${attribute}`,
      ];
      await source.after(() => set(`CN=bob,${people}`, 'servicePrincipalName', 'MSSQLSvc/sql.example.test'), {
        events,
      });
      await source.after(() => set(`CN=bob,${people}`, 'servicePrincipalName'), { events });
    });

    it('updates machines and their owners', async () => {
      const [gmsa, sql, web] = ['gmsa', 'svc-sql', 'svc-web'].map((name) => `CN=${name},${services}`) as [
        string,
        string,
        string,
      ];
      const service = { servicePrincipalName: 'HTTP/www.example.test', manager: `CN=bob,${people}` };
      await source.after(() => addUser('svc-web', service, services), { events: ['machine_identity.created svc-web'] });
      expect(await source.identity('svc-sql')).toMatchObject({ machine_identities: [{ status: 'orphaned' }] });
      await source.after(() => set(sql, 'manager', `CN=bob,${people}`), {
        events: [
          'identity.merged bob',
          'machine_identity.owner_changed svc-sql: identity_id, owned_by',
          'machine_identity.risk_changed svc-sql: risk_score',
          'machine_identity.updated svc-sql: status',
        ],
      });
      const { id, machine_identities: machines } = await source.identity('bob');
      const owned = expect.objectContaining({ owned_by: id, status: 'active', risk_score: 0 });
      expect(machines).toEqual([owned, owned]);
      await source.after(() => set(gmsa, 'userAccountControl', '4098'), {
        events: ['machine_identity.updated gmsa: status'],
      });
      await source.after(() => set(gmsa, 'userAccountControl', '4096'), {
        events: ['machine_identity.updated gmsa: status'],
      });
      await source.after(() => set(gmsa, 'managedBy', `CN=cleo,${people}`), {
        events: [
          'machine_identity.owner_changed gmsa: identity_id, owned_by',
          'identity.updated ann: machine_identities',
        ],
      });
      await source.after(() => samba.client.del(web), { events: ['machine_identity.decommissioned svc-web: status'] });
    });

    it('orphans the machine of a deleted person and removes its owner', async () => {
      // The directory removes the owner from the machine without a new update sequence number.
      const unnamed = [
        'identity.created gmsa',
        'identity.updated cleo: machine_identities',
        'machine_identity.owner_changed gmsa: identity_id, owned_by',
      ];
      await source.after(() => samba.client.del(`CN=cleo,${people}`), {
        events: [
          ...isGone('cleo'),
          'machine_identity.orphaned gmsa: status',
          'machine_identity.risk_changed gmsa: risk_score',
          ...unnamed,
        ],
        unseenByChanges: unnamed,
      });
      expect(await source.identity('gmsa')).toMatchObject({ machine_identities: [{ status: 'orphaned' }] });
    });

    it('updates people who move to another unit and department', async () => {
      await source.after(() => samba.client.modifyDN(`CN=dan,${people}`, `CN=dan,OU=North,${people}`), {
        events: ['identity.updated dan: dn', 'user.updated dan: attributes.dn', 'account.updated dan: attributes.dn'],
      });
      await source.after(() => set(`CN=dan,OU=North,${people}`, 'department', 'North'), {
        events: ['user.updated dan: departments', 'lifecycle.mover dan: departments'],
      });
    });

    it('deletes people moved out of the base in the next full read, and restores them on return', async () => {
      await source.after(() => samba.client.modifyDN(`CN=dan,OU=North,${people}`, `CN=dan,OU=Gone,${domain}`), {
        events: isGone('dan'),
        unseenByChanges: isGone('dan'),
      });
      await source.after(() => samba.client.modifyDN(`CN=dan,OU=Gone,${domain}`, `CN=dan,OU=North,${people}`), {
        events: returns('dan'),
      });
    });

    it('restores a person who returns disabled as inactive, not as deleted', async () => {
      const [inside, outside] = [`CN=dan,OU=North,${people}`, `CN=dan,OU=Gone,${domain}`];
      await source.after(() => samba.client.modifyDN(inside, outside), {
        events: isGone('dan'),
        unseenByChanges: isGone('dan'),
      });
      const comeBack = async () => {
        await set(outside, 'userAccountControl', disabled);
        await samba.client.modifyDN(outside, inside);
      };
      await source.after(comeBack, { events: leaves('dan').filter((line) => !line.startsWith('lifecycle.')) });
      expect(await source.identity('dan')).toMatchObject({ status: 'inactive', accounts: [{ status: 'disabled' }] });
      await source.after(() => set(inside, 'userAccountControl', enabled), { events: returns('dan') });
    });

    it('requires a full read when a group has changed, and updates its direct and nested members', async () => {
      const events = (...names: string[]) =>
        names.flatMap((name) => [`user.updated ${name}: groups`, `account.updated ${name}: groups`]);
      // People and accounts.
      const becauseFull = Array(2).fill('everything was read: groups have changed');
      const group = (name: string) => `CN=${name},${groups}`;
      const bob = `CN=bob,${people}`;
      await source.after(() => samba.change(group('Staff'), 'add', 'member', bob), {
        events: events('bob'),
        becauseFull,
      });
      await source.after(() => samba.client.modifyDN(group('Staff'), group('Crew')), {
        events: events('ann', 'bob'),
        becauseFull,
      });
      expect(await source.identity('bob')).toMatchObject({
        users: [{ groups: ['Crew', 'Domain Users', 'Everybody', 'Users'] }],
      });
      await source.after(() => samba.change(group('Crew'), 'delete', 'member', bob), {
        events: events('bob'),
        becauseFull,
      });
      await source.after(() => samba.client.del(group('Everybody')), { events: events('ann'), becauseFull });
    });

    it('deletes people by the tombstones of the directory', async () => {
      await source.after(() => samba.client.del(`CN=dan,OU=North,${people}`), { events: isGone('dan') });
      expect(await source.identity('dan')).toMatchObject({ status: 'deleted', accounts: [{ status: 'deleted' }] });
    });

    it('retains everyone when the server stops during a read', async () => {
      await source.survivesRestart(gate, samba);
    });

    it('is unchanged by another full read and matches all histories', async () => {
      await source.expectNoFurtherEvents();
    });
  },
);
