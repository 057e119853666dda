import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

const approval = {
  approval_id: 'apr_1',
  status: 'pending',
  action: 'releaseSyncJob',
  role: 'operator',
  resource: 'job_1',
  request: { job_id: 'job_1', reason: 'outsourced' },
  reason: 'outsourced',
  requested_by: 'olga',
  requested_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2026-02-01T12:00:00.000Z',
};

describe('a command whose act needs a second operator', () => {
  it.each([
    [['jobs', 'release', 'job_1', '--reason', 'outsourced'], 'POST /tenants/ten_1/sync-jobs/job_1/release'],
    [['jobs', 'apply', 'job_1'], 'POST /tenants/ten_1/sync-jobs/job_1/apply'],
    [['identities', 'erase', 'idn_1', '--yes'], 'POST /tenants/ten_1/identities/idn_1/erase'],
  ])('names the approval that it waits for, and exits with 4: %p', async (words, call) => {
    replies['GET /tenants/ten_1/identities/idn_1'] = [[200, { id: 'idn_1', display_name: 'Ann Lee' }]];
    replies[call] = [[202, approval]];
    const { code, err } = await service.idsync(words);
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringContaining(`"idsync approvals approve apr_1" until ${approval.expires_at}`),
    });
  });
});

describe('approvals', () => {
  it('are listed by status', async () => {
    replies['GET /tenants/ten_1/approvals?limit=50&offset=0&status=pending'] = [[200, { data: [approval], total: 1 }]];
    const { out } = await service.idsync(['approvals', 'list', '--status', 'pending']);
    expect(out).toMatch(/apr_1 +pending +releaseSyncJob +job_1 +olga +outsourced/);
  });

  it('are shown with what was requested', async () => {
    replies['GET /tenants/ten_1/approvals/apr_1'] = [[200, approval]];
    expect((await service.idsync(['approvals', 'show', 'apr_1'])).out).toContain('"job_id": "job_1"');
    expect(JSON.parse((await service.idsync(['approvals', 'show', 'apr_1', '--json'])).out)).toEqual(approval);
  });

  it.each(['approve', 'reject'])('are decided with a reason: %s', async (verb) => {
    const decision = { by: 'bob', at: approval.requested_at, reason: 'checked' };
    replies[`POST /tenants/ten_1/approvals/apr_1/${verb}`] = [[200, { ...approval, status: `${verb}d`, decision }]];
    const { code, out } = await service.idsync(['approvals', verb, 'apr_1', '--reason', 'checked']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/decided by +bob/) });
    expect(service.requests[0]?.body).toEqual({ reason: 'checked' });
  });
});

const idsync = (...words: string[]) => service.idsync(words);
const created_at = '2026-01-31T12:00:00.000Z';
const token = { id: 'svt_1', name: 'ci', role: 'operator', tenants: ['ten_1'], created_at, created_by: 'operator' };

describe('service tokens', () => {
  it('are created with role, tenants and expiry, and printed once', async () => {
    replies['POST /service-tokens'] = [[201, { ...token, token: 'ist_secret' }]];
    const words = ['create', 'ci', '--role', 'operator', '--tenants', 'ten_1, ten_2', '--expires-at', created_at];
    const { out, err } = await idsync('service-tokens', ...words);
    expect(out).toContain('ist_secret');
    expect(err).toContain('not shown again');
    expect(service.requests[0]).toMatchObject({
      call: 'POST /service-tokens',
      body: { name: 'ci', role: 'operator', tenants: ['ten_1', 'ten_2'], expires_at: created_at },
    });
    expect((await idsync('service-tokens', 'create', 'ci')).code).not.toBe(0);
  });

  it('are refused for an unknown role, with those that exist', async () => {
    expect(await idsync('service-tokens', 'create', 'ci', '--role', 'owner')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Allowed choices are viewer, operator, auditor, admin.'),
    });
    expect(service.requests).toEqual([]);
  });

  it('are listed for programs', async () => {
    replies['GET /service-tokens'] = [[200, { data: [token], total: 1 }]];
    const list = (format: string) => idsync('service-tokens', 'list', '--output', format);
    expect(JSON.parse((await list('json')).out)).toEqual({ data: [token], total: 1 });
    expect(JSON.parse((await list('jsonl')).out)).toEqual(token);
    expect((await list('csv')).out).toBe(
      `id,name,role,tenants,created,expires,last_used,revoked\nsvt_1,ci,operator,ten_1,${created_at},,,\n`,
    );
  });

  it('are listed with their role and tenants, and revoked', async () => {
    const { tenants: _, ...forAll } = token;
    replies['GET /service-tokens'] = [[200, { data: [token, { ...forAll, id: 'svt_2' }], total: 2 }]];
    replies['DELETE /service-tokens/svt_1'] = [[204]];
    const { out } = await idsync('service-tokens', 'list');
    expect(out).toMatch(/svt_1 +ci +operator +ten_1/);
    expect(out).toMatch(/svt_2 +ci +operator +all/);
    expect((await idsync('service-tokens', 'revoke', 'svt_1')).err).toContain('revoked svt_1');
  });
});

describe('sessions of operators', () => {
  it('are listed with who signed in and until when, and ended', async () => {
    const at = (hour: number) => `2026-01-31T${hour}:00:00.000Z`;
    const session = {
      id: 'ses_1',
      actor: { id: 'svt_1', name: 'eva', kind: 'service_token', role: 'operator' },
      ...{ created_at: at(10), last_used_at: at(11), idle_expires_at: at(12), expires_at: at(22), current: false },
    };
    service.replies['GET /sessions'] = [[200, { data: [session], total: 1 }]];
    service.replies['DELETE /sessions/ses_1'] = [[204]];
    expect((await service.idsync(['sessions', 'list', '--output', 'csv'])).out).toBe(
      `id,name,role,signed_in_with,since,last_used,ends_without_use,ends\nses_1,eva,operator,service_token,${at(10)},${at(11)},${at(12)},${at(22)}\n`,
    );
    expect((await service.idsync(['sessions', 'end', 'ses_1'])).err).toContain('ended ses_1');
  });
});
