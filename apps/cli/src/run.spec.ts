import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService, token } from '../test/fake-service.js';
import type { Variables } from './printer.js';

const hr = { id: 'con_hr', type: 'csv', name: 'HR', priority: 10, records: 'user', config: { path: 'hr.csv' } };

let service: FakeService;
let cwd: string;
let url: string;
let replies: FakeService['replies'];
let requests: FakeService['requests'];

beforeEach(async () => {
  service = await FakeService.start();
  ({ cwd, url, replies, requests } = service);
});

afterEach(() => service.stop());

const idsync = (argumentsList: string[], env?: Variables) => service.idsync(argumentsList, { env });

describe('the command line', () => {
  it('needs no option in the directory where idsync was started', async () => {
    await mkdir(join(cwd, '.data'));
    const credentials = { base_url: url, api_key: 'iss_1_x', admin_token: token, tenant_id: 'ten_1' };
    await writeFile(join(cwd, '.data', 'credentials.json'), JSON.stringify(credentials));
    replies['GET /tenants'] = [[200, { data: [{ id: 'ten_1', name: 'Demo' }], total: 1 }]];
    const result = await idsync(['tenants', 'list'], {});
    expect(result).toEqual({ code: 0, out: 'ID     NAME  CREATED  SUSPENDED\nten_1  Demo  -        -\n', err: '' });
    expect(requests).toEqual([
      { call: 'GET /tenants?limit=200&offset=0', authorization: `Bearer ${token}`, body: undefined },
    ]);
  });

  it('prints its version', async () => {
    expect(await idsync(['--version'])).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
  });

  it('prints responses unchanged with --json, before or after the command', async () => {
    const list = { data: [{ id: 'ten_1', name: 'Demo' }], total: 1 };
    replies['GET /tenants'] = [[200, list]];
    expect(JSON.parse((await idsync(['tenants', 'list', '--json'])).out)).toEqual(list);
    expect(JSON.parse((await idsync(['--json', 'tenants', 'list'])).out)).toEqual(list);
  });

  it('reads all pages of a list', async () => {
    replies['GET /tenants?limit=200&offset=0'] = [[200, { data: [{ id: 'ten_1', name: 'A' }], total: 2 }]];
    replies['GET /tenants?limit=200&offset=1'] = [[200, { data: [{ id: 'ten_2', name: 'B' }], total: 2 }]];
    expect((await idsync(['tenants', 'list'])).out).toBe(
      'ID     NAME  CREATED  SUSPENDED\nten_1  A     -        -\nten_2  B     -        -\n',
    );
  });

  it('creates a tenant by its name', async () => {
    replies['POST /tenants'] = [[201, { id: 'ten_9', name: 'Acme' }]];
    expect((await idsync(['tenants', 'create', 'Acme'])).out).toContain('id    ten_9\n');
    expect(requests[0]?.body).toEqual({ name: 'Acme' });
  });

  it('creates a key and says that it is not shown again', async () => {
    replies['POST /tenants/ten_1/api-keys'] = [[201, { id: 'key_1', name: 'ci', scopes: ['a', 'b'], key: 'iss_1_s' }]];
    const result = await idsync(['keys', 'create', 'ci', '--scopes', 'a, b', '--expires-at', '2030-01-01T00:00:00Z']);
    expect(result.code).toBe(0);
    expect(result.out).toContain('key     iss_1_s\n');
    expect(result.err).toContain('not shown again');
    expect(requests[0]?.body).toEqual({ name: 'ci', scopes: ['a', 'b'], expires_at: '2030-01-01T00:00:00Z' });
  });

  it('changes a key and its networks, adds scopes to its own, and lets it never expire', async () => {
    const key = { id: 'key_1', name: 'ci', scopes: ['users:read'] };
    replies['GET /tenants/ten_1'] = [[200, { id: 'ten_1' }]];
    replies['GET /tenants/ten_1/api-keys/key_1'] = [[200, key]];
    replies['PATCH /tenants/ten_1/api-keys/key_1'] = [[200, key]];
    const update = (...words: string[]) => idsync(['keys', 'update', ...words]);
    expect((await update('key_1', '--add-scopes', 'groups:read', '--expires-at', 'never')).code).toBe(0);
    expect(requests.at(-1)?.body).toEqual({ scopes: ['users:read', 'groups:read'], expires_at: null });
    expect((await update('key_1', '--scopes', 'sync:read', '--name', 'x')).code).toBe(0);
    expect(requests.at(-1)?.body).toEqual({ name: 'x', scopes: ['sync:read'] });
    expect((await update('key_1', '--networks', '192.0.2.0/24, 2001:db8::/32')).code).toBe(0);
    expect(requests.at(-1)?.body).toEqual({ allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] });
    expect((await update('key_1', '--networks', 'any')).code).toBe(0);
    expect(requests.at(-1)?.body).toEqual({ allowed_networks: null });
    expect((await update('key_1', '--networks', '192.0.2.1,')).code).toBe(2);
    expect(await update('key_2', '--add-scopes', 'groups:read')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no API key "key_2"'),
    });
    expect(await update('key_1')).toMatchObject({ code: 2, err: expect.stringContaining('nothing to change') });
    expect((await update('key_1', '--scopes', 'a', '--add-scopes', 'b')).code).toBe(2);
  });

  it('renames, suspends and resumes a tenant', async () => {
    replies['PATCH /tenants/ten_1'] = [[200, { id: 'ten_1', name: 'Other' }]];
    for (const words of [
      ['rename', 'ten_1', 'Other'],
      ['suspend', 'ten_1'],
      ['resume', 'ten_1'],
    ])
      expect((await idsync(['tenants', ...words])).code).toBe(0);
    expect(requests.map(({ body }) => body)).toEqual([{ name: 'Other' }, { suspended: true }, { suspended: false }]);
  });

  it('revokes a key of the tenant that --tenant names', async () => {
    replies['DELETE /tenants/ten_2/api-keys/key_1'] = [[204, '']];
    const { code, err } = await idsync(['keys', 'revoke', 'key_1', '--tenant', 'ten_2']);
    expect([code, err]).toEqual([0, 'revoked key_1\n']);
  });

  it('sends a connector body from a file, and changes and deletes the connector by its name', async () => {
    await writeFile(join(cwd, 'hr.json'), JSON.stringify({ type: 'csv', name: 'HR' }));
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
    replies['POST /tenants/ten_1/connectors'] = [[201, hr]];
    replies['PATCH /tenants/ten_1/connectors/con_hr'] = [[200, hr]];
    replies['GET /tenants/ten_1/connectors/con_hr/deletion'] = [[200, { connector_id: 'con_hr', live_records: 0 }]];
    replies['DELETE /tenants/ten_1/connectors/con_hr'] = [[204, '']];
    const created = await idsync(['connectors', 'create', '--file', 'hr.json']);
    expect(created.out).toContain('config    {"path":"hr.csv"}');
    expect(requests[0]?.body).toEqual({ type: 'csv', name: 'HR' });
    expect((await idsync(['connectors', 'update', 'HR', '--file', 'hr.json'])).code).toBe(0);
    expect((await idsync(['connectors', 'delete', 'HR'])).code).toBe(0);
    expect(requests.map(({ call }) => call)).toContain('DELETE /tenants/ten_1/connectors/con_hr?records=keep');
  });

  it('lists one page of jobs with the names of their connectors, and reports the total', async () => {
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
    const job = {
      job_id: 'job_1',
      connector_id: 'con_hr',
      mode: 'full',
      dry_run: true,
      scheduled_for: '2026-01-31T12:00:00.000Z',
      status: 'completed',
      progress_pct: 100,
      records_read: 7,
      records_applied: 6,
      records_deleted: 2,
      records_failed: 1,
      created_at: '2026-01-31T12:00:01.000Z',
      note: 'the last complete read is older than 7 days',
    };
    replies['GET /tenants/ten_1/sync-jobs?limit=1&offset=2&connector_id=con_hr'] = [[200, { data: [job], total: 9 }]];
    const result = await idsync(['jobs', 'list', '--limit', '1', '--offset', '2', '--connector', 'con_hr']);
    expect(result.out.split('\n')[1]?.split(/\s{2,}/)).toEqual([
      ...['job_1', 'HR', 'full', 'yes', '2026-01-31T12:00:00.000Z', 'completed', '100', '7', '6', '2', '1'],
      ...['2026-01-31T12:00:01.000Z', 'the last complete read is older than 7 days', '-'],
    ]);
    expect(result.err).toBe('1 of 9 shown\n');
  });

  it('lists why an operator released or cancelled a job', async () => {
    const decision = { action: 'released', reason: 'they left' };
    const job = { job_id: 'job_1', connector_id: 'con_hr', note: 'delete 40 records', decision };
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
    replies['GET /tenants/ten_1/sync-jobs'] = [[200, { data: [job], total: 1 }]];
    expect((await idsync(['jobs', 'list'])).out).toContain('released: they left');
  });

  it('lists jobs of a deleted connector with its name', async () => {
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
    const old = { id: 'con_old', name: 'Old HR' };
    replies['GET /tenants/ten_1/deleted-connectors'] = [[200, { data: [old], total: 1 }]];
    const jobs = ['con_hr', 'con_old', 'con_gone'].map((connector_id) => ({ job_id: 'job_1', connector_id }));
    replies['GET /tenants/ten_1/sync-jobs'] = [[200, { data: jobs, total: 3 }]];
    const lines = (await idsync(['jobs', 'list'])).out.split('\n').slice(1, 4);
    expect(lines.map((line) => line.split(/\s{2,}/)[1])).toEqual(['HR', 'Old HR (deleted)', 'con_gone']);
  });

  it('shows the decisions about a job', async () => {
    const after = { action: 'cancelled', by: 'bob', at: '2026-01-31T12:00:00.000Z' };
    const decision = { action: 'released', by: 'ann', at: '2026-01-31T13:00:00.000Z', reason: 'they left', after };
    const waits_for = { job_id: 'job_2', status: 'running' };
    replies['GET /tenants/ten_1/sync-jobs/job_1'] = [
      [200, { job_id: 'job_1', status: 'completed', decision, waits_for, errors: [] }],
    ];
    const { out } = await idsync(['jobs', 'get', 'job_1']);
    expect(out.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['job_id', 'job_1'],
      ['status', 'completed'],
      ['decision action', 'released'],
      ['decision by', 'ann'],
      ['decision at', '2026-01-31T13:00:00.000Z'],
      ['decision reason', 'they left'],
      ['decision after action', 'cancelled'],
      ['decision after by', 'bob'],
      ['decision after at', '2026-01-31T12:00:00.000Z'],
      ['waits_for job_id', 'job_2'],
      ['waits_for status', 'running'],
      [''],
    ]);
  });

  it('lists what a queued job waits for', async () => {
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
    const waiting = {
      job_id: 'job_2',
      connector_id: 'con_hr',
      status: 'queued',
      waits_for: { job_id: 'job_1', status: 'quarantined' },
    };
    replies['GET /tenants/ten_1/sync-jobs?limit=50&offset=0'] = [[200, { data: [waiting], total: 1 }]];
    expect((await idsync(['jobs', 'list'])).out).toMatch(/WAITS FOR\n.*job_1 \(quarantined\)\n/);
  });

  it('cancels a job with a reason', async () => {
    replies['POST /tenants/ten_1/sync-jobs/job_1/cancel'] = [[202, { job_id: 'job_1', status: 'quarantined' }]];
    replies['GET /tenants/ten_1/sync-jobs/job_1'] = ['quarantined', 'cancelled'].map((status) => [
      200,
      { job_id: 'job_1', status, records_applied: 0 },
    ]);
    expect((await idsync(['jobs', 'cancel', 'job_1', '--reason', 'wrong file'])).out).toMatch(
      /status +cancelled\nrecords_applied +0\n/,
    );
    expect(requests[0]?.body).toEqual({ reason: 'wrong file' });
  });

  it('shows with which commands a quarantined job is decided, until it is', async () => {
    const job = { job_id: 'job_1', status: 'quarantined', errors: [] };
    const decision = { action: 'released', at: '2026-01-31T13:00:00.000Z' };
    replies['GET /tenants/ten_1/sync-jobs/job_1'] = [
      [200, job],
      [200, { ...job, decision }],
    ];
    expect((await idsync(['jobs', 'get', 'job_1'])).err).toBe(
      'see "idsync jobs plan job_1", then decide with "idsync jobs release job_1 --reason …" or "idsync jobs cancel job_1 --reason …"\n',
    );
    expect((await idsync(['jobs', 'get', 'job_1'])).err).toBe('');
  });

  it('shows why a job is quarantined, with examples', async () => {
    const counts = { create: 30, update: 0, disable: 0, delete: 0 };
    const text = 'create 30 records beside 100, more than 20 % and more than 20';
    const reasons = [{ rule: 'created', count: 30, of: 100, text, examples: ['n1', 'n2'] }];
    replies['GET /tenants/ten_1/sync-jobs/job_1/plan'] = [
      [200, { state: 'held', counts, reasons, data: [], total: 0 }],
    ];
    expect((await idsync(['jobs', 'plan', 'job_1'])).out).toContain(`\n${text}: for example n1, n2\n`);
  });

  it('filters the plan of a job', async () => {
    const counts = { create: 0, update: 0, disable: 0, delete: 1 };
    replies['GET /tenants/ten_1/sync-jobs/job_1/plan'] = [[200, { state: 'done', counts, data: [], total: 0 }]];
    await idsync(['jobs', 'plan', 'job_1', '--action', 'delete', '--external-id', 'E 7']);
    expect(requests[0]?.call).toBe(
      'GET /tenants/ten_1/sync-jobs/job_1/plan?limit=50&offset=0&action=delete&external_id=E+7',
    );
    expect((await idsync(['jobs', 'plan', 'job_1', '--action', 'drop'])).code).toBe(2);
  });

  it('shows the plan of a quarantined job and releases the job with a reason', async () => {
    const entry = {
      action: 'delete',
      record: { id: 'usr_1', kind: 'user', external_id: 'p7' },
      display_name: 'Ann Lee',
      changes: [{ field: 'status', from: 'active', to: 'deleted' }],
      done: false,
    };
    const counts = { create: 0, update: 0, disable: 0, delete: 25 };
    const plan = { state: 'held', known: 100, note: 'quarantined', counts, reasons: [], data: [entry], total: 25 };
    replies['GET /tenants/ten_1/sync-jobs/job_1/plan'] = [[200, plan]];
    const shown = await idsync(['jobs', 'plan', 'job_1', '--limit', '1']);
    expect(shown.out).toMatch(
      /state +held\n[\s\S]*delete +25\n[\s\S]*\n\nACTION[\s\S]*delete +user +p7 +Ann Lee +- +no +status: active → deleted\n/,
    );
    expect(shown.err).toBe('1 of 25 shown\n');
    expect(requests[0]?.call).toBe('GET /tenants/ten_1/sync-jobs/job_1/plan?limit=1&offset=0');

    replies['POST /tenants/ten_1/sync-jobs/job_1/release'] = [[202, { job_id: 'job_1', status: 'quarantined' }]];
    expect((await idsync(['jobs', 'release', 'job_1'])).err).toContain('--reason');
    expect((await idsync(['jobs', 'release', 'job_1', '--reason', 'they left', '--by', 'eve'])).code).toBe(0);
    expect(requests[1]?.body).toEqual({ reason: 'they left', by: 'eve' });
  });

  it('starts a dry run and applies its plan', async () => {
    replies['POST /tenants/ten_1/sync-jobs'] = [[202, { job_id: 'job_1', status: 'queued' }]];
    expect((await idsync(['sync', 'con_hr', '--dry-run'])).code).toBe(0);
    expect(requests[0]?.body).toEqual({ connector_id: 'con_hr', dry_run: true });
    replies['POST /tenants/ten_1/sync-jobs/job_1/apply'] = [
      [200, { operation_id: 'opn_1', status: 'done', result: { records_created: 2 } }],
      [202, { operation_id: 'opn_2', status: 'queued' }],
      [400, { error: 'the plan has already been applied' }],
    ];
    expect(await idsync(['jobs', 'apply', 'job_1'])).toMatchObject({ code: 0, out: expect.stringContaining('opn_1') });
    expect((await idsync(['jobs', 'apply', 'job_1', '--reason', 'all of them left'])).code).toBe(4);
    expect(requests[2]?.body).toEqual({ reason: 'all of them left' });
    expect(await idsync(['jobs', 'apply', 'job_1'])).toMatchObject({
      code: 1,
      err: 'idsync: the plan has already been applied\n',
    });
  });
});

describe('idsync sync', () => {
  const followed = 'GET /tenants/ten_1/sync-jobs/job_1';

  beforeEach(() => {
    replies['POST /tenants/ten_1/sync-jobs'] = [[202, { job_id: 'job_1', status: 'queued' }]];
  });

  it('starts a job without waiting for it', async () => {
    const result = await idsync(['sync', 'con_hr']);
    expect(result).toMatchObject({ code: 0, out: 'job_id  job_1\nstatus  queued\n' });
    expect(requests.map(({ call, body }) => [call, body])).toEqual([
      ['POST /tenants/ten_1/sync-jobs', { connector_id: 'con_hr' }],
    ]);
  });

  it('shows while it watches which job the job waits for', async () => {
    replies[followed] = [
      [200, { job_id: 'job_1', status: 'queued', waits_for: { job_id: 'job_0', status: 'quarantined' } }],
      [200, { job_id: 'job_1', status: 'completed', progress_pct: 100, errors: [] }],
    ];
    const { code, err } = await idsync(['sync', 'con_hr', '--watch']);
    expect(code).toBe(0);
    expect(err).toContain('queued, waits for job_0 (quarantined) 0 %\n');
  });

  it('watches a job to its end across a short outage', async () => {
    replies[followed] = [
      [200, { job_id: 'job_1', status: 'running', progress_pct: 40 }],
      [503, { error: 'starting' }],
      [200, { job_id: 'job_1', status: 'completed', progress_pct: 100 }],
    ];
    const result = await idsync(['sync', 'con_hr', '--watch']);
    expect(result).toMatchObject({ code: 0, err: 'running 40 %\ncompleted 100 %\n' });
  });

  it('exits with 3 and names the failed records', async () => {
    const errors = [{ line: 4, external_id: 'e\u001b[2J7', message: 'no such date', source_message: '30 Feb' }];
    const job = { job_id: 'job_1', status: 'completed_with_errors', progress_pct: 100, records_failed: 3, errors };
    replies[followed] = [[200, job]];
    const result = await idsync(['sync', 'con_hr', '--watch']);
    expect(result.code).toBe(3);
    expect(result.out).toContain('  line 4, record e\u{fffd}[2J7: no such date: 30 Feb\n  and 2 more\n');
    expect(result.out).toMatch(/records_failed +3\n/);
    expect((await idsync(['jobs', 'get', 'job_1'])).code).toBe(3);
    expect(JSON.parse((await idsync(['jobs', 'get', 'job_1', '--json'])).out)).toEqual(job);
  });

  it.each([
    [{ records_failed: 2 }, '  and 1 more\n'],
    [{ records_failed: 1, fields_left_out: 2 }, '  and 2 more\n'],
    [{ fields_left_out: 1 }, ''],
  ])('counts the errors that are not listed: %j', async (counts, more) => {
    const job = { job_id: 'job_1', status: 'completed_with_errors', errors: [{ message: 'no such date' }], ...counts };
    replies[followed] = [[200, job]];
    expect((await idsync(['jobs', 'get', 'job_1'])).out.split('  no such date\n')[1]).toBe(more);
  });

  it.each(['failed', 'cancelled', 'quarantined'])('exits with 1 when the job is %s', async (status) => {
    replies[followed] = [[200, { job_id: 'job_1', status, error_message: 'the file ends in mid-record' }]];
    const result = await idsync(['sync', 'con_hr', '--watch', '--json']);
    expect(result).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(result.out)).toMatchObject({ status, error_message: 'the file ends in mid-record' });
  });

  it('names a connector that is unknown or ambiguous', async () => {
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr, hr], total: 2 }]];
    expect((await idsync(['sync', 'CRM'])).err).toContain('no connector "CRM"');
    expect((await idsync(['sync', 'HR'])).err).toContain('several connectors are named "HR"');
  });
});

describe('errors of the command line', () => {
  it('suggest that idsync is not running when the connection is refused', async () => {
    service.close();
    const { code, err } = await idsync(['tenants', 'list']);
    expect({ code, err }).toEqual({ code: 1, err: `idsync: cannot reach ${url} (ECONNREFUSED); is idsync running?\n` });
  });

  it('repeat the error of the service', async () => {
    replies['GET /tenants'] = [
      [401, { error: 'missing or invalid operator token' }],
      [400, { error: 'name is required' }],
    ];
    expect((await idsync(['tenants', 'list'])).err).toBe(
      'idsync: missing or invalid operator token; check --token, ADMIN_TOKEN or the context\n',
    );
    expect(await idsync(['tenants', 'list'])).toEqual({ code: 2, out: '', err: 'idsync: name is required\n' });
  });

  it.each([
    [
      'identities list --manager Zoe',
      'manager_id must be the id of an identity',
      '--manager must be the id of an identity',
    ],
    [
      'users list --external-id 7',
      'external_id must be given together with connector_id',
      '--external-id must be given together with --connector',
    ],
    ['find a', 'q must have at least two letters or digits', '<text> must have at least two letters or digits'],
    ['groups list --name X', 'name must be given together with source', '--name must be given together with --source'],
    [
      'users list --attribute Site=a',
      'attributes.Site must match ^attributes',
      '--attribute Site must match ^attributes',
    ],
    [
      'users list --updated-since x',
      'offset must be at most 10000 with updated_since, got 20000: use cursor instead',
      '--offset must be at most 10000 with --updated-since, got 20000: use cursor instead',
    ],
    [
      'events list --job x',
      'job_id must be the id of a job, got "job_id"',
      '--job must be the id of a job, got "job_id"',
    ],
    ['keys create x --scopes foo:read', 'scopes.0 must be one of users:read', '--scopes must be one of users:read'],
    ['keys create x --expires-at tomorrow', 'expires_at must be a date', '--expires-at must be a date'],
    [
      'service-tokens create x --role viewer --tenants ten_1',
      'expires_at must be 2027-03-01T00:00:00.000Z or earlier',
      '--expires-at must be 2027-03-01T00:00:00.000Z or earlier',
    ],
    ['keys create x', 'name must have at most 200 characters', '<name> must have at most 200 characters'],
    ['connectors schedule con_1 --cron x', 'schedule.cron is no expression', '--cron is no expression'],
    ['tenants create x', 'quota must be positive', 'quota must be positive'],
  ])('name the options of "%s" for a refused value, and exit with 2', async (words, error, shown) => {
    const methods = ['GET', 'POST', 'PATCH'];
    const paths = ['identities', 'users', 'groups', 'events', 'api-keys', 'connectors/con_1'];
    for (const method of methods) {
      for (const path of paths) replies[`${method} /tenants/ten_1/${path}`] = [[400, { error }]];
      for (const path of ['tenants', 'service-tokens']) replies[`${method} /${path}`] = [[400, { error }]];
    }
    expect(await idsync(words.split(' '))).toEqual({ code: 2, out: '', err: `idsync: ${shown}\n` });
  });

  it('report another web server and do not follow its redirects', async () => {
    replies['GET /tenants'] = [
      [200, '<html></html>'],
      [302, '', { location: '/elsewhere' }],
    ];
    expect((await idsync(['tenants', 'list'])).err).toContain('unexpected response (200)');
    expect((await idsync(['tenants', 'list'])).err).toContain('unexpected response (302)');
    expect(requests.map(({ call }) => call)).toEqual(Array(2).fill('GET /tenants?limit=200&offset=0'));
  });

  it('have no terminal control characters', async () => {
    replies['GET /tenants'] = [[409, { error: 'busy\u001b[2J\u2066' }]];
    expect((await idsync(['tenants', 'list'])).err).toBe('idsync: busy\u{fffd}[2J\u{fffd}\n');
  });

  it('request a tenant when none is selected', async () => {
    expect((await idsync(['keys', 'list'], { IDSYNC_URL: url, ADMIN_TOKEN: token })).err).toContain(
      'no tenant selected',
    );
  });

  it.each(['..', '../tenants', 'key_1/..'])('reject the id %s, which addresses another path', async (id) => {
    expect((await idsync(['keys', 'revoke', id])).err).toBe(`idsync: "${id}" is not a valid id\n`);
    expect(requests).toEqual([]);
  });

  it.each(['-1', '1.5', 'x1', '1x', '1000000000'])('reject the number of results %s', async (limit) => {
    const { err } = await idsync(['jobs', 'plan', 'job_1', `--limit=${limit}`]);
    expect(err).toContain('It must be a whole number, 0 to 999999999.');
    expect(requests).toEqual([]);
  });

  it.each(['[]', 'null', '5', '"text"'])('reject the file content %s, which is no JSON object', async (text) => {
    await writeFile(join(cwd, 'body.json'), text);
    expect((await idsync(['connectors', 'create', '--file', 'body.json'])).err).toContain('one JSON object');
  });

  it('name the file that is not a valid body', async () => {
    await writeFile(join(cwd, 'bad.json'), '{"type":');
    await writeFile(join(cwd, 'list.json'), '[]');
    expect((await idsync(['connectors', 'create', '--file', 'none.json'])).err).toContain('none.json (ENOENT)');
    expect((await idsync(['connectors', 'create', '--file', 'bad.json'])).err).toContain('bad.json is not valid JSON');
    expect((await idsync(['connectors', 'create', '--file', 'list.json'])).err).toContain('one JSON object');
  });

  it('suggest a similar command for an unknown one', async () => {
    const { code, err } = await idsync(['tenant', 'list']);
    expect(code).toBe(2);
    expect(err).toMatch(/unknown command 'tenant'[\s\S]*Did you mean tenants\?/);
  });
});
