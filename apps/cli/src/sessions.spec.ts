import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

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
