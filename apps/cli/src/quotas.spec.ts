import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

const usage = {
  people: { limit: 1000, used: 950 },
  connectors: { used: 3 },
  webhooks: { limit: 5, used: 1 },
  requests_per_minute: { used: 0 },
};
const path = '/tenants/ten_1/quotas';

describe('quotas of a tenant', () => {
  it('are shown with their usage', async () => {
    service.replies[`GET ${path}`] = [[200, usage]];
    const { out } = await service.idsync(['tenants', 'quotas', 'show']);
    expect(out).toMatch(/people +1000 +950/);
    expect(out).toMatch(/connectors +unlimited +3/);
    const json = await service.idsync(['tenants', 'quotas', 'show', '--json']);
    expect(JSON.parse(json.out)).toEqual(usage);
  });

  it('are changed one by one, and the others stay', async () => {
    service.replies[`GET ${path}`] = [[200, usage]];
    service.replies[`PUT ${path}`] = [[200, usage]];
    await service.idsync(['tenants', 'quotas', 'set', '--requests-per-minute', '500', '--webhooks', 'unlimited']);
    expect(service.requests.at(-1)).toMatchObject({
      call: `PUT ${path}`,
      body: { people: 1000, requests_per_minute: 500 },
    });
  });

  it('must be whole numbers', async () => {
    service.replies[`GET ${path}`] = [[200, usage]];
    const { code, err } = await service.idsync(['tenants', 'quotas', 'set', '--requests-per-minute', 'many']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'idsync: --requests-per-minute must be a whole number or "unlimited", got "many"\n',
    });
  });
});
