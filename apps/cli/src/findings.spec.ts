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

describe('findings', () => {
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
