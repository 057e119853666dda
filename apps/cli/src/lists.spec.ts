import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

const idsync = (...argumentsList: string[]) => service.idsync(argumentsList);
const reply = (call: string, ...data: object[]) => {
  service.replies[`GET /tenants/ten_1/${call}`] = [[200, { data, total: data.length, limit: 50, offset: 0 }]];
};

const ann = {
  id: 'idn_1',
  display_name: 'Ann Lee',
  status: 'active',
  attributes: [
    { field_name: 'email', field_value: 'ann@x.org' },
    { field_name: 'email', field_value: 'al@x.org' },
  ],
};

describe('the lists of the directory', () => {
  it('find identities by a text', async () => {
    reply('identities?q=ann+lee&limit=50&offset=0', ann);
    const { code, out } = await idsync('find', 'ann', 'lee');
    expect({ code, line: out.split('\n')[1]?.split(/\s{2,}/) }).toEqual({
      code: 0,
      line: ['idn_1', 'Ann Lee', 'ann@x.org', '-', 'active'],
    });
  });

  it('list identities with a value', async () => {
    reply('identities?email=ann%40x.org&status=active&limit=5&offset=0', ann);
    const { out } = await idsync('identities', 'list', '--email', 'ann@x.org', '--status', 'active', '--limit', '5');
    expect(out).toContain('Ann Lee');
  });

  it('list accounts that are linked to no identity', async () => {
    reply('accounts?matched=false&limit=50&offset=0', { id: 'acc_1', identifier: 'bray', status: 'active' });
    expect((await idsync('accounts', 'list', '--unmatched')).out).toContain('bray');
  });

  it.each([
    ['accounts', 'accounts'],
    ['machines', 'machine-identities'],
  ])('list the %s of a source by its name', async (noun, path) => {
    service.replies['GET /tenants/ten_1/connectors'] = [[200, { data: [{ id: 'con_1', name: 'AD' }], total: 1 }]];
    reply(`${path}?source=con_1&limit=50&offset=0`, { id: 'rec_1', status: 'active' });
    expect((await idsync(noun, 'list', '--source', 'AD')).out).toContain('rec_1');
  });

  it('list identities by department, attributes, manager, source, group and time', async () => {
    service.replies['GET /tenants/ten_1/connectors'] = [[200, { data: [{ id: 'con_1', name: 'AD' }], total: 1 }]];
    reply('identities', ann);
    const given = ['--attribute', 'cost_center=4711', '--attribute', 'site=a=b', '--department', 'Sales'];
    const others = [
      '--manager',
      'idn_2',
      '--source',
      'AD',
      '--group',
      'grp_1',
      '--updated-since',
      '2026-01-31T12:00:00Z',
    ];
    const { code, out } = await idsync('identities', 'list', ...given, ...others);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Ann Lee') });
    const [, query] = service.requests.at(-1)?.call.split('?') ?? [];
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      'attributes.cost_center': '4711',
      'attributes.site': 'a=b',
      department: 'Sales',
      manager_id: 'idn_2',
      source: 'con_1',
      group: 'grp_1',
      updated_since: '2026-01-31T12:00:00Z',
      limit: '50',
      offset: '0',
    });
  });

  it('refuse an attribute without a value', async () => {
    const { code, err } = await idsync('users', 'list', '--attribute', 'site');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('must be name=value') });
  });

  it('list users with the id of their source, and the record with an id in a source', async () => {
    reply('users', { id: 'usr_1', external_id: '1007', display_name: 'Ann Lee', status: 'active' });
    const { out } = await idsync('users', 'list', '--external-id', '1007', '--connector', 'con_1');
    expect(out).toContain('1007');
    expect(service.requests.at(-1)?.call).toContain('external_id=1007&connector_id=con_1');
  });

  it('show the first and last name of records without a display name', async () => {
    const names = { first_name: 'Ann', last_name: 'Lee' };
    reply('users', { id: 'usr_1', external_id: '1', ...names }, { id: 'usr_2', external_id: '2', last_name: 'Ray' });
    const { out } = await idsync('users', 'list', '--group', 'grp_1');
    expect(out).toMatch(/usr_1 +1 +Ann Lee .*\nusr_2 +2 +Ray /);
    reply('accounts', { id: 'acc_1', identifier: 'alee', ...names });
    expect((await idsync('accounts', 'list')).out).toMatch(/acc_1 +alee +Ann Lee /);
  });

  it('list groups with the names of their sources, which programs get as ids', async () => {
    const group = { id: 'grp_1', name: 'VPN', source_id: 'con_1' };
    service.replies['GET /tenants/ten_1/connectors'] = [[200, { data: [{ id: 'con_1', name: 'AD' }], total: 1 }]];
    reply('groups?source=con_1&limit=50&offset=0', group, { ...group, source_id: 'con_deleted' });
    reply('deleted-connectors', { id: 'con_deleted', name: 'Old AD' });
    const list = ['groups', 'list', '--source', 'con_1'];
    expect((await idsync(...list)).out).toMatch(/grp_1 +VPN +AD\ngrp_1 +VPN +Old AD \(deleted\)\n/);
    expect(service.requests.length).toBe(3);
    expect((await idsync(...list, '-o', 'jsonl')).out).toContain('"source_id":"con_1"');
    expect(service.requests.length).toBe(4);
  });

  it('say that a total is not exact', async () => {
    const list = { data: [ann], total: 200, total_is_estimate: true, limit: 1, offset: 0 };
    service.replies['GET /tenants/ten_1/identities'] = [[200, list]];
    const { err } = await idsync('identities', 'list', '--department', 'all', '--limit', '1');
    expect(err).toBe('1 of more than 200 shown\n');
  });

  it('list machine identities by owner and risk', async () => {
    reply('machine-identities?owned_by=idn_1&min_risk=50&limit=50&offset=0', { id: 'mid_1', display_name: 'Bot' });
    const { out } = await idsync('machines', 'list', '--owner', 'idn_1', '--min-risk', '50');
    expect(out).toContain('Bot');
  });
});

it('shows a machine identity with its people, its risk and its values', async () => {
  const machine = {
    id: 'mid_1',
    display_name: 'Bot',
    status: 'active',
    people: [{ role: 'owned_by', named: 'ann@x.org', identity_id: 'idn_1', name: 'Ann Lee' }, { role: 'manager_id' }],
    risk_score: 20,
    risk_factors: [{ factor: 'long_lived_secret', points: 20 }],
    values: { account_id: ['svc-bot'] },
  };
  service.replies['GET /tenants/ten_1/machine-identities/mid_1'] = [
    [200, machine],
    [200, machine],
  ];
  const { out } = await idsync('machines', 'show', 'mid_1');
  const lines = out.split('\n').map((line) => line.split(/\s{2,}/));
  expect(lines).toContainEqual(['owned_by', 'idn_1', 'Ann Lee', 'ann@x.org']);
  expect(lines).toContainEqual(['long_lived_secret', '20']);
  expect(lines).toContainEqual(['account_id', 'svc-bot']);
  expect(JSON.parse((await idsync('machines', 'show', 'mid_1', '--json')).out)).toEqual(machine);
});

it('shows an account with its person and its values', async () => {
  const account = {
    id: 'acc_1',
    identifier: 'ann',
    identity_name: 'Ann Lee',
    values: { mail: ['ann@x.org', 'a@x.org'] },
  };
  service.replies['GET /tenants/ten_1/accounts/acc_1'] = [[200, account]];
  const { out } = await idsync('accounts', 'show', 'acc_1');
  expect(out).toContain('Ann Lee');
  expect(out.split('\n').map((line) => line.split(/\s{2,}/))).toContainEqual(['mail', 'ann@x.org, a@x.org']);
  expect(JSON.parse((await idsync('accounts', 'show', 'acc_1', '--json')).out)).toEqual(account);
});
