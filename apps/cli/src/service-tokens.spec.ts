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
