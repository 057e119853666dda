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
  const told = [`identity.deleted ${name}: status`, `user.deleted ${name}: status`, `lifecycle.leaver ${name}: status`];
  return { told, unseenByChanges: told };
};

describeWith(haveSlapd, 'slapd is not installed: no OpenLDAP directory is followed')('an OpenLDAP directory', () => {
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

  it('shows a test what it will give, and a discovery what there is', async () => {
    const { status, records, errors } = await source.probe('test');
    expect([status, records.length, errors]).toEqual(['done', 5, []]);
    const { fields } = await source.probe('discover');
    expect(fields.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['mail', '@groups']));
  });

  it('brings everybody, each told once', async () => {
    const all = crowd + 1;
    expect(await source.first()).toEqual({ 'identity.created': all, 'user.created': all, 'lifecycle.joiner': all });
    expect(await source.identity('ann')).toMatchObject({
      status: 'active',
      users: [{ user_principal_name: 'ann', email: 'ann@example.test', job_title: 'Engineer', groups: [] }],
    });
  });

  it('tells who has come, and what has changed of somebody', async () => {
    await source.after(() => slapd.client.add(personDn('dan'), dan), {
      told: ['identity.created dan', 'user.created dan', 'lifecycle.joiner dan'],
    });
    await source.after(() => slapd.change(personDn('ann'), 'replace', 'title', 'Head'), {
      told: ['identity.updated ann: job_title', 'user.updated ann: job_title', 'lifecycle.mover ann: job_title'],
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ job_title: 'Head' }] });
  });

  it('keeps who gets another name and login for the same person', async () => {
    const { id } = await source.identity('ann');
    await source.after(() => slapd.client.modifyDN(personDn('ann'), personDn('anna')), {
      told: ['identity.updated ann: dn, user_principal_name', 'user.updated ann: attributes.dn, user_principal_name'],
    });
    expect(await source.identity('ann')).toMatchObject({ id, users: [{ user_principal_name: 'anna' }] });
  });

  it('suspends who is locked, until they are not', async () => {
    const told = ['identity.status_changed ann: status', 'user.status_changed ann: status'];
    const lock = 'pwdAccountLockedTime';
    await source.after(() => slapd.change(personDn('anna'), 'replace', lock, '000001010000Z'), { told });
    expect(await source.identity('ann')).toMatchObject({ status: 'suspended', users: [{ status: 'suspended' }] });
    await source.after(() => slapd.change(personDn('anna'), 'delete', lock), { told });
    expect(await source.identity('ann')).toMatchObject({ status: 'active', users: [{ status: 'active' }] });
  });

  it('follows who moves to another unit and department', async () => {
    await source.after(() => slapd.client.modifyDN(personDn('anna'), inNorth), {
      told: ['identity.updated ann: dn', 'user.updated ann: attributes.dn'],
    });
    await source.after(() => slapd.change(inNorth, 'replace', 'departmentNumber', 'North'), {
      told: ['user.updated ann: departments', 'lifecycle.mover ann: departments'],
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ departments: ['North'] }] });
  });

  it('deletes who is moved out of its base, as soon as everything is read, and has them back', async () => {
    const { id } = await source.identity('ann');
    await source.after(() => slapd.client.modifyDN(inNorth, outside), leaves('ann'));
    expect(await source.identity('ann')).toMatchObject({ status: 'deleted', users: [{ status: 'deleted' }] });
    await source.after(() => slapd.client.modifyDN(outside, inNorth), {
      told: [
        'identity.status_changed ann: status',
        'user.status_changed ann: status',
        'lifecycle.rejoiner ann: status',
      ],
    });
    expect(await source.identity('ann')).toMatchObject({ id, status: 'active', users: [{ job_title: 'Head' }] });
  });

  it('reads everything where a group has changed, and tells its members and no others', async () => {
    const told = (...names: string[]) => names.map((name) => `user.updated ${name}: groups`);
    const group = (name: string) => `cn=${name},${groups}`;
    const becauseFull = 'everything was read: groups have changed';
    await source.after(() => slapd.change(group('staff'), 'add', 'member', inNorth), {
      told: told('ann'),
      becauseFull,
    });
    await source.after(() => slapd.client.modifyDN(group('staff'), group('crew')), {
      told: told('ann', 'user1'),
      becauseFull,
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ groups: ['crew'] }] });
    await source.after(() => slapd.change(group('crew'), 'delete', 'member', inNorth), {
      told: told('ann'),
      becauseFull,
    });
    await source.after(() => slapd.client.del(group('crew')), { told: told('user1'), becauseFull });
  });

  it('deletes who is gone, as soon as everything is read, and knows them by their number where they are made anew', async () => {
    const { id } = await source.identity('dan');
    await source.after(() => slapd.client.del(personDn('dan')), leaves('dan'));
    await source.after(() => slapd.client.add(personDn('dan'), dan), {
      told: ['identity.status_changed dan: status', 'user.created dan', 'lifecycle.rejoiner dan: status'],
    });
    expect(await source.identity('dan')).toMatchObject({ id, status: 'active' });
  });

  it('takes who gets the address of somebody who is gone for another person', async () => {
    await source.after(() => slapd.client.del(personDn('user2')), leaves('user2'));
    await source.after(() => slapd.client.add(personDn('user2'), person('user2')), {
      told: ['identity.created user2', 'user.created user2', 'lifecycle.joiner user2'],
    });
  });

  it('loses nobody when the server ends in the middle of being read', async () => {
    await source.survives(gate, slapd);
  });

  it("says the same when everything is read once more, and in everybody's history", async () => {
    await source.isSettled();
  });
});
