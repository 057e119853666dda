import { newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import type { GatewayConfig } from '../gateway-config.js';
import type { KeyCaller } from './caller.js';
import { RateLimit } from './rate-limit.service.js';

const limitOf = (perKey?: number) =>
  new RateLimit({ get: () => perKey } as Partial<ConfigService> as ConfigService<GatewayConfig, true>);
const caller = (tenantId: string, requestsPerMinute?: number): KeyCaller => ({
  access: 'key',
  keyId: newUuid(),
  tenantId,
  scopes: new Set(),
  requestsPerMinute,
});

describe('the requests of a minute', () => {
  it('of all keys of a tenant are accepted up to its quota', async () => {
    const limit = limitOf();
    for (let n = 0; n < 2; n += 1) await limit.take(caller('a', 2));
    const refused = { status: 429, message: 'the tenant may send 2 requests a minute', retryAfterSeconds: 60 };
    await expect(limit.take(caller('a', 2))).rejects.toMatchObject(refused);
    await limit.take(caller('b', 2));
    expect(await limit.usedBy('b')).toBe(1);
    expect(await limit.usedBy('c')).toBe(0);
  });

  it('of a tenant without a quota are not limited', async () => {
    const limit = limitOf();
    for (let n = 0; n < 5; n += 1) await limit.take(caller('a'));
    expect(await limit.usedBy('a')).toBe(0);
  });

  it('of a key are accepted up to the limit of the installation', async () => {
    const limit = limitOf(2);
    const [one, other] = [caller('a'), caller('a')];
    for (let n = 0; n < 2; n += 1) await limit.take(one);
    await expect(limit.take(one)).rejects.toMatchObject({ status: 429, message: 'too many requests with this key' });
    await limit.take(other);
  });
});
