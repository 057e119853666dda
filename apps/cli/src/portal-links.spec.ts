import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

describe('idsync webhooks portal', () => {
  it('prints a link to the webhooks', async () => {
    const url = 'https://idsync.example/portal/#ipl_x';
    service.replies['POST /tenants/ten_1/portal-links'] = [
      [201, { id: 'plk_1', url, webhook_ids: ['whk_1', 'whk_2'] }],
    ];
    const { code, out } = await service.idsync(['webhooks', 'portal', 'whk_1', 'whk_2', '--expires-in', '900']);
    expect([code, out]).toEqual([0, expect.stringContaining(url)]);
    const body = { webhook_ids: ['whk_1', 'whk_2'], access: 'send', bodies: true, expires_in: 900 };
    expect(service.requests.at(-1)).toMatchObject({ body });
  });

  it('refuses an unknown access before it sends a request', async () => {
    const { code, err } = await service.idsync(['webhooks', 'portal', 'whk_1', '--access', 'all']);
    expect([code, err]).toEqual([2, expect.stringContaining('read, send, change')]);
    expect(service.requests).toEqual([]);
  });

  it('revokes all links of a webhook', async () => {
    service.replies['DELETE /tenants/ten_1/webhooks/whk_1/portal-links'] = [[204]];
    const { code, err } = await service.idsync(['webhooks', 'revoke-portal', 'whk_1']);
    expect([code, service.requests.at(-1)?.call]).toEqual([0, expect.stringMatching(/^DELETE .*portal-links$/)]);
    expect(err).toBe('the portal links of whk_1 are revoked\n');
  });
});
