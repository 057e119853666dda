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
