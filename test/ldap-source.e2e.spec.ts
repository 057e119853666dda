import { ldapMappings } from '@idsync/contracts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  admin,
  haveSlapd,
  password,
  peopleLdif,
  person,
  personDn,
  type Slapd,
  startSlapd,
  suffix,
} from '../libs/connectors/test/slapd.js';
import { describeWith, FollowedSource } from './support/followed-source.js';
import { Gate } from './support/gate.js';

const crowd = 40;
const people = `ou=people,${suffix}`;
const groups = `ou=groups,${suffix}`;
const inNorth = `uid=anna,ou=north,${people}`;
const dan = { ...person('dan'), employeeNumber: '1008' };
const outside = `uid=anna,ou=gone,${suffix}`;

const leaves = (name: string) => {
  const events = [
    `identity.deleted ${name}: status`,
    `user.deleted ${name}: status`,
    `lifecycle.leaver ${name}: status`,
  ];
  return { events, unseenByChanges: events };
};

describeWith(haveSlapd, 'OpenLDAP: slapd is not installed')('an OpenLDAP source', () => {
  let slapd: Slapd;
  let gate: Gate;
  let source: FollowedSource;

  beforeAll(async () => {
    slapd = await startSlapd(peopleLdif(crowd));
    for (const ou of [`ou=north,${people}`, `ou=gone,${suffix}`]) {
      await slapd.client.add(ou, { objectClass: 'organizationalUnit' });
    }
    await slapd.client.add(personDn('ann'), { ...person('ann'), employeeNumber: '1007', title: 'Engineer' });
    await slapd.client.add(`cn=staff,${groups}`, { objectClass: 'groupOfNames', member: personDn('user1') });
    gate = await Gate.before(Number(new URL(slapd.url).port));
    source = await FollowedSource.start([
      {
        type: 'ldap',
        name: 'OpenLDAP',
        records: 'user',
        secrets: { bind_password: password },
        config: {
          url: `ldap://127.0.0.1:${gate.port}`,
          ca: slapd.ca,
          bind_dn: admin,
          base_dn: people,
          groups: { base_dn: groups },
          fields: { ...ldapMappings.ldap.user.fields, 'attributes.dn': 'dn' },
        },
      },
    ]);
  });
  afterAll(async () => {
    await source?.stop();
    await gate?.close();
    await slapd?.stop();
  });

  it('is shown by a connection test and a discovery', async () => {
    const { status, records, errors } = await source.probe('test');
    expect([status, records.length, errors]).toEqual(['done', 5, []]);
    const { fields } = await source.probe('discover');
    expect(fields.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['mail', '@groups']));
  });

  it('imports everyone with one event each', async () => {
    const all = crowd + 1;
    expect(await source.first()).toEqual({ 'identity.created': all, 'user.created': all, 'lifecycle.joiner': all });
    expect(await source.identity('ann')).toMatchObject({
      status: 'active',
      users: [{ user_principal_name: 'ann', email: 'ann@example.test', job_title: 'Engineer', groups: [] }],
    });
  });

  it('emits events for added and changed people', async () => {
    await source.after(() => slapd.client.add(personDn('dan'), dan), {
      events: ['identity.created dan', 'user.created dan', 'lifecycle.joiner dan'],
    });
    await source.after(() => slapd.change(personDn('ann'), 'replace', 'title', 'Head'), {
      events: ['identity.updated ann: job_title', 'user.updated ann: job_title', 'lifecycle.mover ann: job_title'],
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ job_title: 'Head' }] });
  });

  it('keeps the identity of a person with a new name and login', async () => {
    const { id } = await source.identity('ann');
    await source.after(() => slapd.client.modifyDN(personDn('ann'), personDn('anna')), {
      events: ['identity.updated ann: dn, user_principal_name', 'user.updated ann: attributes.dn, user_principal_name'],
    });
    expect(await source.identity('ann')).toMatchObject({ id, users: [{ user_principal_name: 'anna' }] });
  });

  it('suspends people while they are locked', async () => {
    const events = ['identity.status_changed ann: status', 'user.status_changed ann: status'];
    const lock = 'pwdAccountLockedTime';
    await source.after(() => slapd.change(personDn('anna'), 'replace', lock, '000001010000Z'), { events });
    expect(await source.identity('ann')).toMatchObject({ status: 'suspended', users: [{ status: 'suspended' }] });
    await source.after(() => slapd.change(personDn('anna'), 'delete', lock), { events });
    expect(await source.identity('ann')).toMatchObject({ status: 'active', users: [{ status: 'active' }] });
  });

  it('updates people who move to another unit and department', async () => {
    await source.after(() => slapd.client.modifyDN(personDn('anna'), inNorth), {
      events: ['identity.updated ann: dn', 'user.updated ann: attributes.dn'],
    });
    await source.after(() => slapd.change(inNorth, 'replace', 'departmentNumber', 'North'), {
      events: ['user.updated ann: departments', 'lifecycle.mover ann: departments'],
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ departments: ['North'] }] });
  });

  it('deletes people moved out of the base in the next full read, and restores them on return', async () => {
    const { id } = await source.identity('ann');
    await source.after(() => slapd.client.modifyDN(inNorth, outside), leaves('ann'));
    expect(await source.identity('ann')).toMatchObject({ status: 'deleted', users: [{ status: 'deleted' }] });
    await source.after(() => slapd.client.modifyDN(outside, inNorth), {
      events: [
        'identity.status_changed ann: status',
        'user.status_changed ann: status',
        'lifecycle.rejoiner ann: status',
      ],
    });
    expect(await source.identity('ann')).toMatchObject({ id, status: 'active', users: [{ job_title: 'Head' }] });
  });

  it('requires a full read when a group has changed, and updates only its members', async () => {
    const events = (...names: string[]) => names.map((name) => `user.updated ${name}: groups`);
    const group = (name: string) => `cn=${name},${groups}`;
    const becauseFull = 'everything was read: groups have changed';
    await source.after(() => slapd.change(group('staff'), 'add', 'member', inNorth), {
      events: events('ann'),
      becauseFull,
    });
    await source.after(() => slapd.client.modifyDN(group('staff'), group('crew')), {
      events: events('ann', 'user1'),
      becauseFull,
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ groups: ['crew'] }] });
    await source.after(() => slapd.change(group('crew'), 'delete', 'member', inNorth), {
      events: events('ann'),
      becauseFull,
    });
    await source.after(() => slapd.client.del(group('crew')), { events: events('user1'), becauseFull });
  });

  it('deletes missing people in the next full read, and restores recreated ones by employee number', async () => {
    const { id } = await source.identity('dan');
    await source.after(() => slapd.client.del(personDn('dan')), leaves('dan'));
    await source.after(() => slapd.client.add(personDn('dan'), dan), {
      events: [
        'identity.status_changed dan: status',
        'identity.updated dan: users',
        'user.created dan',
        'lifecycle.rejoiner dan: status',
      ],
    });
    expect(await source.identity('dan')).toMatchObject({ id, status: 'active' });
  });

  it('treats a person with the address of a deleted person as another identity', async () => {
    await source.after(() => slapd.client.del(personDn('user2')), leaves('user2'));
    await source.after(() => slapd.client.add(personDn('user2'), person('user2')), {
      events: ['identity.created user2', 'user.created user2', 'lifecycle.joiner user2'],
    });
  });

  it('retains everyone when the server stops during a read', async () => {
    await source.survivesRestart(gate, slapd);
  });

  it('is unchanged by another full read and matches all histories', async () => {
    await source.expectNoFurtherEvents();
  });
});
