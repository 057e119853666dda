import { beforeEach, describe, expect, it } from '@jest/globals';
import { loopback } from '../../test/http-server.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { scimServer } from '../../test/scim-server.js';
import { readAll } from '../../test/source-fixture.js';
import { CheckpointExpired, type Connector, type Cursor, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';

const scim = scimServer('t0ken');
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

function connector(config: object = {}, token = 't0ken'): Connector {
  return createConnector({
    type: 'scim',
    records: 'user',
    config: { url: scim.url, ...config },
    secrets: { token },
    sourcesDir: '/nowhere',
    allowedCidrs: loopback,
  });
}

const person = (name: string, change: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
  userName: name,
  displayName: `The ${name}`,
  name: { givenName: name, familyName: 'Example' },
  emails: [{ value: `${name}@example.com`, type: 'work' }],
  active: true,
  [enterprise]: { employeeNumber: `n-${name}`, department: 'Ops', manager: { value: 'boss' } },
  ...change,
});
const add = (name: string, change?: object) => scim.send('POST', '/Users', person(name, change));
const addGroup = (displayName: string, ...members: string[]) =>
  scim.send('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName,
    members: members.map((value) => ({ value })),
  });
const patch = (path: string, op: string, attribute: string, value?: unknown) =>
  scim.send('PATCH', path, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op, path: attribute, ...(value !== undefined && { value }) }],
  });

/** Runs a full or incremental read and updates the known state. */
async function sync(source: Connector, known: Map<string, unknown>, since?: Cursor) {
  const named = new Set<string>();
  let checkpoint: Cursor | undefined;
  const signal = new AbortController().signal;
  for await (const page of source.read({ pageSize: 3, signal, ...(since && { since }) })) {
    for (const { external_id, fields } of page.records) {
      known.set(external_id, fields);
      named.add(external_id);
    }
    expect(page.errors).toEqual([]);
    checkpoint = page.checkpoint;
  }
  if (!since) for (const id of known.keys()) if (!named.has(id)) known.delete(id);
  return checkpoint;
}

beforeEach(() => {
  scim.users.clear();
  scim.groups.clear();
});

describe('a SCIM source', () => {
  it('returns people as the standard defines them, with their groups', async () => {
    const { id } = await add('ann');
    const off = await add('bob', { active: false });
    const admins = await addGroup('Admins', id);
    const { records, errors, pages } = await readAll(connector());
    expect(errors).toEqual([]);
    const byName = new Map(records.map((record) => [record.fields.user_principal_name?.[0], record]));
    expect(byName.get('ann')).toEqual({
      external_id: id,
      fields: {
        user_principal_name: ['ann'],
        display_name: ['The ann'],
        email: ['ann@example.com'],
        first_name: ['ann'],
        last_name: ['Example'],
        job_title: [],
        employee_number: ['n-ann'],
        departments: ['Ops'],
        manager_id: ['boss'],
        groups: ['Admins'],
        roles: [],
        status: ['active'],
      },
      memberships: [{ id: admins.id, name: 'Admins' }],
    });
    expect(byName.get('bob')).toMatchObject({ external_id: off.id, fields: { status: ['inactive'] } });
    expect(records).toHaveLength(2);
    expect(pages.at(-1)).toMatchObject({ last: true, fraction: 1 });
  });

  it('returns the primary email, in a full read and of one resource', async () => {
    const emails = [
      { value: 'ann@home.example', type: 'home' },
      { value: 'ann@example.com', type: 'work' },
      { value: 'ann@primary.example', type: 'other', primary: true },
    ];
    const { id } = await add('ann', { emails });
    const { records } = await readAll(connector());
    expect(records.map(({ fields }) => fields.email)).toEqual([['ann@primary.example']]);
    expect(await expectEachAlone(connector())).toEqual([id]);
  });

  it('returns only resources that match the filter', async () => {
    await add('ann', { userType: 'Employee' });
    await add('eve', { userType: 'Guest' });
    const { records } = await readAll(connector({ filter: 'userType eq "Employee"' }));
    expect(records.map(({ fields }) => fields.user_principal_name)).toEqual([['ann']]);
  });

  it('returns nested groups from the members of the groups', async () => {
    const { id } = await add('ann');
    const inner = await addGroup('Inner', id);
    const outer = await addGroup('Outer', inner.id);
    await patch(`/Groups/${inner.id}`, 'add', 'members', [{ value: outer.id }]);
    const { records } = await readAll(connector({ fields: { groups: '@groups' } }));
    const memberships = [
      { id: inner.id, name: 'Inner' },
      { id: outer.id, name: 'Outer' },
    ];
    expect(records).toEqual([{ external_id: id, fields: { groups: ['Inner', 'Outer'] }, memberships }]);
  });

  it('discovers the fields', async () => {
    await add('ann');
    const fields = (await connector().discover?.(new AbortController().signal)) ?? [];
    expect(fields).toContainEqual({ name: 'emails[].value', examples: ['ann@example.com'] });
    expect(fields).toContainEqual({ name: `["${enterprise}"].employeeNumber`, examples: ['n-ann'] });
  });

  it('reports a wrong token without exposing it', async () => {
    const read = readAll(connector({}, 'wr0ng'));
    await expect(read).rejects.toMatchObject({
      code: 'auth_failed',
      message: expect.stringMatching(/\/scim\/ServiceProviderConfig answered 401$/),
    });
    await expect(readAll(connector({}, ''))).rejects.toThrow('the secret "token" is missing');
  });
});

describe('incremental reads of a SCIM source', () => {
  const fields = {
    display_name: 'displayName',
    status: { from: 'active', transform: [{ map: { false: 'inactive', true: 'active' } }] },
  };

  it('reach the same state as a full read after each change', async () => {
    const source = connector({ fields });
    const ids = [(await add('ann')).id, (await add('bob')).id, (await add('cid')).id];
    const known = new Map<string, unknown>();
    let checkpoint = await sync(source, known);
    const steps: (() => Promise<unknown>)[] = [
      () => add('dan'),
      () => patch(`/Users/${ids[0]}`, 'replace', 'displayName', 'Renamed'),
      () => patch(`/Users/${ids[1]}`, 'replace', 'active', false),
      () => patch(`/Users/${ids[1]}`, 'replace', 'active', true),
      () => addGroup('Admins', ids[0] ?? ''),
      () => scim.send('DELETE', `/Users/${ids[2]}`),
      () => add('cid'),
    ];
    for (const step of steps) {
      await step();
      try {
        checkpoint = await sync(source, known, checkpoint);
      } catch (error) {
        expect(error).toBeInstanceOf(CheckpointExpired);
        checkpoint = await sync(source, known);
      }
      const all = new Map<string, unknown>();
      await sync(source, all);
      expect(known).toEqual(all);
      expect(checkpoint).toBeDefined();
    }
  });

  it('return only changes since the checkpoint', async () => {
    const source = connector({ fields });
    for (const name of ['ann', 'bob']) await add(name);
    for (const { meta } of scim.users.values()) meta.lastModified = new Date(Date.now() - 3_600_000);
    const checkpoint = await sync(source, new Map());
    const { id } = await add('cid');
    const changed = new Map<string, unknown>();
    await sync(source, changed, checkpoint);
    expect([...changed.keys()]).toEqual([id]);
  });

  it('throw CheckpointExpired after a deletion or a change of a mapped group', async () => {
    const { id } = await add('ann');
    const group = await addGroup('Admins', id);
    for (const { meta } of scim.groups.values()) meta.lastModified = new Date(Date.now() - 3_600_000);
    const source = connector();
    const changed: (() => Promise<unknown>)[] = [
      () => patch(`/Groups/${group.id}`, 'remove', 'members'),
      () => addGroup('Others'),
      () => scim.send('DELETE', `/Groups/${group.id}`),
      () => scim.send('DELETE', `/Users/${id}`),
    ];
    for (const change of changed) {
      const checkpoint = await sync(source, new Map());
      await change();
      await expect(sync(source, new Map(), checkpoint)).rejects.toThrow(CheckpointExpired);
      for (const { meta } of scim.groups.values()) meta.lastModified = new Date(Date.now() - 3_600_000);
    }
  });

  it('are disabled by the configuration', async () => {
    const source = connector({ changes: false });
    expect(source.reportsChanges).toBe(false);
    await expect(sync(source, new Map())).resolves.toBeUndefined();
  });
});

describe('reading one resource of a SCIM source', () => {
  it('returns the same result as a full read by resource id, with groups', async () => {
    for (const name of ['ann', 'bob', 'cat', 'dan']) await add(name);
    const [ann] = [...scim.users.keys()];
    await addGroup('staff', ann ?? '');
    const fields = { user_principal_name: 'userName', groups: '@groups' };
    expect(await expectEachAlone(connector({ fields }))).toHaveLength(4);
    expect(await expectEachAlone(connector())).toHaveLength(4);
  });

  it('finds it by another attribute, and returns absent for another case or outside the filter', async () => {
    for (const name of ['ann', 'bob', 'a"b']) await add(name);
    expect(await expectEachAlone(connector({ external_id: 'userName' }), ['ANN', 'nobody'])).toHaveLength(3);
    const filter = 'userName eq "ann" or userName eq "cat"';
    expect(await expectEachAlone(connector({ external_id: 'userName', filter }), ['bob'])).toEqual(['ann']);
    const path = 'emails[type=work].value';
    expect(await expectEachAlone(connector({ external_id: path }))).toHaveLength(3);
  });

  it('combines the id with the configured filter', async () => {
    const ann = await add('ann');
    const bob = await add('bob');
    expect(await expectEachAlone(connector({ filter: 'userName eq "ann"' }), [bob.id])).toEqual([ann.id]);
  });

  it('fails instead of returning absent when the service is unreachable or rejects the request', async () => {
    await expect(readOne(connector({ url: `${scim.url}/elsewhere` }), 'ann')).rejects.toThrow(SourceError);
    await expect(readOne(connector({}, 'wr0ng'), 'ann')).rejects.toThrow(SourceError);
  });
});
