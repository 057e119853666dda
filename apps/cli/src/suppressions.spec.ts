import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

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
