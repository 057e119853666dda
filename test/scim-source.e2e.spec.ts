import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scimServer } from '../libs/connectors/test/scim-server.js';
import { FollowedSource } from './support/followed-source.js';
import { Gate } from './support/gate.js';

const scim = scimServer('t0ken');
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const crowd = 40;
const fewer = 'everything was read: the number of resources has decreased';

describe('a SCIM source', () => {
  let gate: Gate;
  let source: FollowedSource;
  /** Resources by the names they were created with. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    for (let number = 0; number < crowd; number += 1) await add(`user${number}`);
    for (const name of ['ann', 'bob', 'cleo']) await add(name);
    gate = await Gate.before(Number(new URL(scim.url).port));
    source = await FollowedSource.start([
      {
        type: 'scim',
        name: 'IdP',
        records: 'user',
        secrets: { token: 't0ken' },
        config: { url: `http://127.0.0.1:${gate.port}/scim`, filter: 'userType eq "Employee"' },
      },
    ]);
  });
  afterAll(async () => {
    await source?.stop();
    await gate?.close();
  });

  async function add(name: string): Promise<void> {
    const { id } = await scim.send('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
      userName: name,
      displayName: `The ${name}`,
      userType: 'Employee',
      title: 'Engineer',
      emails: [{ value: `${name}@example.test`, type: 'work' }],
      active: true,
      [enterprise]: { employeeNumber: `n-${name}`, department: 'Ops' },
    });
    ids.set(name, id);
  }

  const patch = (path: string, op: string, attribute: string, value?: unknown) =>
    scim.send('PATCH', path, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op, path: attribute, ...(value !== undefined && { value }) }],
    });
  const user = (name: string) => `/Users/${ids.get(name)}`;
  const set = (name: string, attribute: string, value: unknown) => patch(user(name), 'replace', attribute, value);
  const leaves = (name: string) => [
    `identity.deleted ${name}: status`,
    `user.deleted ${name}: status`,
    `lifecycle.leaver ${name}: status`,
  ];
  const arrives = (name: string) => [`identity.created ${name}`, `user.created ${name}`, `lifecycle.joiner ${name}`];

  it('is shown by a connection test and a discovery', async () => {
    const { status, records, errors } = await source.probe('test');
    expect([status, records.length, errors]).toEqual(['done', 5, []]);
    const { fields } = await source.probe('discover');
    const names = fields.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['userName', 'emails[].value', '@groups']));
  });

  it('imports everyone with one event each', async () => {
    const all = crowd + 3;
    expect(await source.first()).toEqual({ 'identity.created': all, 'user.created': all, 'lifecycle.joiner': all });
    expect(await source.identity('ann')).toMatchObject({
      status: 'active',
      users: [{ user_principal_name: 'ann', departments: ['Ops'], job_title: 'Engineer' }],
    });
  });

  it('emits events for added and changed people', async () => {
    await source.after(() => add('dan'), { events: arrives('dan') });
    await source.after(() => set('ann', 'title', 'Head'), {
      events: ['identity.updated ann: job_title', 'user.updated ann: job_title', 'lifecycle.mover ann: job_title'],
    });
  });

  it('keeps the identity of a person with a new name, login and address', async () => {
    const { id } = await source.identity('ann');
    const rename = async () => {
      await set('ann', 'userName', 'anna');
      await set('ann', 'emails', [{ value: 'anna@example.test', type: 'work' }]);
      await set('ann', 'displayName', 'The anna');
    };
    const changed = 'display_name, email, user_principal_name';
    await source.after(rename, { events: [`identity.updated ann: ${changed}`, `user.updated ann: ${changed}`] });
    expect(await source.identity('ann')).toMatchObject({
      id,
      display_name: 'The anna',
      users: [{ email: 'anna@example.test' }],
    });
  });

  it('marks inactive people as left until they return', async () => {
    const events = ['identity.status_changed ann: status', 'user.status_changed ann: status'];
    await source.after(() => set('ann', 'active', false), { events: [...events, 'lifecycle.leaver ann: status'] });
    expect(await source.identity('ann')).toMatchObject({ status: 'inactive', users: [{ status: 'inactive' }] });
    await source.after(() => set('ann', 'active', true), { events: [...events, 'lifecycle.rejoiner ann: status'] });
  });

  it('updates people who move to another department', async () => {
    await source.after(() => set('ann', `${enterprise}:department`, 'North'), {
      events: ['user.updated ann: departments', 'lifecycle.mover ann: departments'],
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ departments: ['North'] }] });
  });

  it('deletes people outside the filter, and restores them on return', async () => {
    const { id } = await source.identity('bob');
    await source.after(() => set('bob', 'userType', 'Guest'), { events: leaves('bob'), becauseFull: fewer });
    await source.after(() => set('bob', 'userType', 'Employee'), {
      events: [
        'identity.status_changed bob: status',
        'user.status_changed bob: status',
        'lifecycle.rejoiner bob: status',
      ],
    });
    expect(await source.identity('bob')).toMatchObject({ id, status: 'active' });
  });

  it('deletes a missing person in the next full read, also if another person was added', async () => {
    await source.after(() => scim.send('DELETE', user('cleo')), { events: leaves('cleo'), becauseFull: fewer });
    const replace = async () => {
      await scim.send('DELETE', user('dan'));
      await add('eve');
    };
    await source.after(replace, { events: [...arrives('eve'), ...leaves('dan')], unseenByChanges: leaves('dan') });
  });

  it('requires a full read when a group has changed, and updates only its members', async () => {
    const events = (...names: string[]) => names.map((name) => `user.updated ${name}: groups`);
    const member = (name: string) => ({ value: ids.get(name) });
    const because = (what: string) => `everything was read: ${what}`;
    const count = because('the number of groups has changed');
    let group = '';
    const create = async () => {
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
      const body = { schemas, displayName: 'Staff', members: [member('ann')] };
      group = `/Groups/${(await scim.send('POST', '/Groups', body)).id}`;
    };
    await source.after(create, { events: events('ann'), becauseFull: count });
    const becauseFull = because('groups have changed');
    await source.after(() => patch(group, 'add', 'members', [member('bob')]), { events: events('bob'), becauseFull });
    await source.after(() => patch(group, 'replace', 'displayName', 'Crew'), {
      events: events('ann', 'bob'),
      becauseFull,
    });
    expect(await source.identity('ann')).toMatchObject({ users: [{ groups: ['Crew'] }] });
    const without = `members[value eq "${ids.get('ann')}"]`;
    await source.after(() => patch(group, 'remove', without), { events: events('ann'), becauseFull });
    await source.after(() => scim.send('DELETE', group), { events: events('bob'), becauseFull: count });
  });

  it('retains everyone when the service stops during a read', async () => {
    await source.survivesRestart(gate, scim);
  });

  it('is unchanged by another full read and matches all histories', async () => {
    await source.expectNoFurtherEvents();
  });
});
