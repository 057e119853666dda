import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import type { GatewayConfig } from '../gateway-config.js';
import { adminTokenCaller, OperatorTokens } from './operator-tokens.service.js';
import type { ServiceTokens } from './service-tokens.service.js';
import { maxFailures } from './unknown-key-limits.js';

const token = 'the-token-of-the-installation';
const [guesser, holder] = ['203.0.113.7', '203.0.113.8'];

function tokensWith(settings: Partial<GatewayConfig> = { ADMIN_TOKEN: token }): OperatorTokens {
  const config = { get: (name: keyof GatewayConfig) => settings[name] } as unknown as ConfigService<
    GatewayConfig,
    true
  >;
  const serviceTokens = { identify: async () => undefined } as unknown as ServiceTokens;
  return new OperatorTokens(config, serviceTokens);
}

function guess(tokens: OperatorTokens, address: string, times: number): void {
  for (let sent = 0; sent < times; sent += 1) expect(tokens.identify(`guess-${sent}`, address)).toBeUndefined();
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('ADMIN_TOKEN', () => {
  it('cannot be found by a network that guessed too often in a minute, while other networks sign in', () => {
    const tokens = tokensWith();
    guess(tokens, guesser, maxFailures);
    for (const each of ['another', token])
      expect(() => tokens.identify(each, guesser)).toThrow(expect.objectContaining({ status: 429 }));
    expect(tokens.identify(token, holder)).toBe(adminTokenCaller);
  });

  it('is accepted from the network where it was used before, whatever others send from there', () => {
    const tokens = tokensWith();
    expect(tokens.identify(token, holder)).toBe(adminTokenCaller);
    guess(tokens, holder, maxFailures + 1);
    expect(tokens.identify(token, holder)).toBe(adminTokenCaller);
  });

  it.each([
    ['accepted', 'less', -1],
    ['refused', 'more', 1],
  ])(
    'is %s from a network with many guesses if it was used there %s than a day ago',
    async (outcome, _than, minutes) => {
      const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
      const tokens = tokensWith();
      tokens.identify(token, holder);
      clock.mockReturnValue(1_000 + (24 * 60 + minutes) * 60_000);
      // The cache reads the clock at most once per millisecond of real time.
      await sleep(5);
      const found = () => {
        guess(tokens, holder, maxFailures);
        return tokens.identify(token, holder);
      };
      if (outcome === 'accepted') expect(found()).toBe(adminTokenCaller);
      else expect(found).toThrow(expect.objectContaining({ status: 429 }));
    },
  );

  it('is unknown if it is disabled', () => {
    const tokens = tokensWith({ ADMIN_TOKEN: token, ADMIN_TOKEN_DISABLED: true });
    expect(tokens.identify(token, holder)).toBeUndefined();
  });
});
