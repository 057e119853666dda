import type { DueEndpoint } from '@idsync/database/delivery';
import { describe, expect, it } from '@jest/globals';
import { Endpoint } from './endpoint.js';

const settings = { threshold: 2, firstPauseMs: 100, longestPauseMs: 1_000 };
const now = 1_000_000;

const due = (state: Partial<DueEndpoint> = {}): DueEndpoint => ({
  webhookId: 'w',
  tenantId: 't',
  openUntil: null,
  probeAskedAt: null,
  failures: 0,
  trips: 0,
  seconds: 0,
  ...state,
});

/** An endpoint that waits because another process opened its breaker. */
const open = () => {
  const endpoint = new Endpoint('w', 't', settings);
  endpoint.found(due({ openUntil: new Date(now + 500), failures: 2, trips: 1 }), now);
  return endpoint;
};
const probed = (endpoint: Endpoint, at = now) => endpoint.found(due({ probeAskedAt: new Date(at) }), at);

describe('a probe that was requested', () => {
  it('is one attempt within the pause of the breaker, and pauses longer if it fails', () => {
    const endpoint = open();
    expect(endpoint.waiting(now)).toBeUndefined();
    probed(endpoint);
    expect(endpoint.isProbed).toBe(true);
    expect(endpoint.waiting(now)?.room).toBe(1);
    endpoint.probeTaken(true);
    expect(endpoint.waiting(now)?.room).toBe(1);
    endpoint.failed(5, now);
    expect(endpoint.openUntil).toEqual(new Date(now + 200));
    expect(endpoint.trips).toBe(2);
  });

  it('is made by one process: the others wait as before', () => {
    const endpoint = open();
    probed(endpoint);
    endpoint.probeTaken(false);
    expect(endpoint.isProbed).toBe(false);
    expect(endpoint.waiting(now)).toBeUndefined();
    expect(endpoint.openUntil).toEqual(new Date(now + 500));
  });

  it('also ends the delay that the receiver requested, unless another process makes the probe', () => {
    const [own, other] = [new Endpoint('w', 't', settings), new Endpoint('w', 't', settings)];
    for (const endpoint of [own, other]) {
      endpoint.failed(5, now, 3_600_000);
      probed(endpoint);
      endpoint.probeTaken(endpoint === own);
    }
    expect(own.waiting(now)?.room).toBe(1);
    expect(other.waiting(now)).toBeUndefined();
  });

  it('is known to a process that learns of the open breaker in the same poll', () => {
    const endpoint = new Endpoint('w', 't', settings);
    endpoint.found(due({ openUntil: new Date(now + 500), probeAskedAt: new Date(now), failures: 2, trips: 1 }), now);
    expect(endpoint.waiting(now)?.room).toBe(1);
    endpoint.probeTaken(false);
    expect(endpoint.waiting(now)).toBeUndefined();
  });

  it('counts once, and not for an endpoint that may send anyway', () => {
    const endpoint = open();
    probed(endpoint);
    endpoint.probeTaken(false);
    probed(endpoint);
    expect(endpoint.isProbed).toBe(false);
    const free = new Endpoint('w', 't', settings);
    probed(free);
    expect(free.isProbed).toBe(false);
    expect(free.waiting(now)?.room).toBeGreaterThan(1);
  });
});
