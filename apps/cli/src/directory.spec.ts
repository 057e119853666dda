import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

describe('lists', () => {
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
      expect(err).toBe('1 of 200+ shown\n');
    });

    it('continue after a page that is short, or empty, although more follow', async () => {
      const list = { data: [], total: 0, total_is_estimate: true, limit: 50, offset: 0, next_cursor: 'a' };
      const path = 'GET /tenants/ten_1/identities?department=all&limit=50&offset=0';
      service.replies[path] = [[200, list]];
      service.replies[`${path}&cursor=a`] = [[200, { ...list, data: [ann], next_cursor: undefined }]];
      const { out, err } = await idsync('identities', 'list', '--department', 'all');
      expect({ out, err }).toEqual({ out: expect.stringContaining('Ann Lee'), err: '' });
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
});

describe('findings', () => {
  const idsync = (...words: string[]) => service.idsync(words);
  const calls = () => service.requests.map(({ call, body }) => (body === undefined ? [call] : [call, body]));

  const at = '2026-01-31T12:00:00.000Z';
  const finding = {
    id: 'fnd_1',
    kind: 'leaver_with_account',
    state: 'accepted',
    subject_id: 'acc_1',
    identity_id: 'idn_1',
    name: 'Ann Lee',
    evidence: { account_status: 'active', identity_status: 'inactive' },
    opened_at: at,
    accepted: { by: 'Eva', reason: 'handover', at, until: '2027-01-01T00:00:00.000Z' },
  };
  const operation = { operation_id: 'opn_1', type: 'finding.accept', status: 'done', created_at: at };

  it('are listed with the end of their acceptance, by filters', async () => {
    replies['GET /tenants/ten_1/findings'] = [[200, { data: [finding], limit: 50 }]];
    const { out } = await idsync('findings', 'list', '--kind', 'leaver_with_account', '--subject', 'idn_1');
    expect(out).toContain('accepted until 2027-01-01T00:00:00.000Z');
    expect(calls()).toEqual([['GET /tenants/ten_1/findings?limit=50&kind=leaver_with_account&subject=idn_1']]);
  });

  it('are listed as resolved without the end of an earlier acceptance', async () => {
    replies['GET /tenants/ten_1/findings'] = [[200, { data: [{ ...finding, state: 'resolved' }], limit: 50 }]];
    const { out } = await idsync('findings', 'list');
    expect(out).toContain('resolved');
    expect(out).not.toContain('until');
  });

  it('are counted by kind, with a plus sign if there are more', async () => {
    const data = [
      { kind: 'leaver_with_account', count: 3, exact: true },
      { kind: 'unknown_manager', count: 10_000, exact: false },
    ];
    replies['GET /tenants/ten_1/findings/counts'] = [[200, { data }]];
    const { out } = await idsync('findings', 'count');
    expect(out).toMatch(/leaver_with_account +3\nunknown_manager +10000\+\n/);
  });

  it('are shown with their evidence', async () => {
    replies['GET /tenants/ten_1/findings/fnd_1'] = [[200, finding]];
    const { out } = await idsync('findings', 'show', 'fnd_1');
    expect(out).toMatch(/evidence identity_status +inactive/);
    expect(out).toMatch(/accepted reason +handover/);
  });

  it('are accepted with a reason, and reopened', async () => {
    replies['POST /tenants/ten_1/findings/fnd_1/accept'] = [[200, operation]];
    replies['POST /tenants/ten_1/findings/fnd_1/reopen'] = [[202, { ...operation, status: 'queued' }]];
    expect((await idsync('findings', 'accept', 'fnd_1')).code).not.toBe(0);
    const accepted = await idsync(
      'findings',
      'accept',
      'fnd_1',
      '--reason',
      'handover',
      '--until',
      '2027-01-01T00:00:00Z',
    );
    expect(accepted.code).toBe(0);
    expect((await idsync('findings', 'reopen', 'fnd_1')).code).toBe(4);
    expect(calls()).toEqual([
      ['POST /tenants/ten_1/findings/fnd_1/accept', { reason: 'handover', until: '2027-01-01T00:00:00Z' }],
      ['POST /tenants/ten_1/findings/fnd_1/reopen', {}],
    ]);
  });

  it('have settings that are shown and replaced', async () => {
    const policy = {
      unmatched_account_hours: 72,
      stale_source_hours: 36,
      connector_stale_hours: [{ connector_id: 'con_1', hours: 180 }],
    };
    replies['GET /tenants/ten_1/finding-policy'] = [[200, policy]];
    replies['PUT /tenants/ten_1/finding-policy'] = [[200, policy]];
    expect((await idsync('findings', 'policy', 'show')).out).toMatch(/con_1 +180/);
    await writeFile(join(service.cwd, 'findings.json'), JSON.stringify({ unmatched_account_hours: 72 }));
    expect((await idsync('findings', 'policy', 'set', '--file', 'findings.json')).code).toBe(0);
    expect(calls().at(-1)).toEqual(['PUT /tenants/ten_1/finding-policy', { unmatched_account_hours: 72 }]);
  });
});

describe('a suppression', () => {
  it('is listed and lifted', async () => {
    const suppression = { id: 'sup_1', identity_id: 'idn_1', operation_id: 'opn_1', created_at: '2026-11-23' };
    service.replies['GET /tenants/ten_1/suppressions'] = [[200, { data: [suppression], total: 1 }]];
    service.replies['DELETE /tenants/ten_1/suppressions/sup_1'] = [[204, '']];
    expect((await service.idsync(['suppressions', 'list'])).out).toMatch(/^sup_1 +idn_1 +opn_1 +2026-11-23$/m);
    expect((await service.idsync(['suppressions', 'lift', 'sup_1'])).err).toContain('lifted sup_1');
  });

  it('is not stored by an erasure that allows the return', async () => {
    service.replies['POST /tenants/ten_1/identities/idn_1/erase'] = [[200, { operation_id: 'opn_1', status: 'done' }]];
    for (const options of [[], ['--allow-return']])
      await service.idsync(['identities', 'erase', 'idn_1', '--yes', ...options]);
    expect(service.requests.map(({ body }) => body)).toEqual([{}, { keep_out: false }]);
  });
});
