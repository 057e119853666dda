import type { DueEndpoint } from '@idsync/database/delivery';
import { describe, expect, it } from '@jest/globals';
import { Endpoint, initialCap } from './endpoint.js';

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

/** An endpoint with due deliveries of both kinds. */
const found = () => {
  const endpoint = new Endpoint('w', 't', settings);
  endpoint.found(due(), now);
  return endpoint;
};
const times = (count: number, each: () => void) => {
  for (let n = 0; n < count; n += 1) each();
};

/** An endpoint that waits because another process opened its breaker. */
const open = () => {
  const endpoint = new Endpoint('w', 't', settings);
  endpoint.found(due({ openUntil: new Date(now + 500), failures: 2, trips: 1 }), now);
  return endpoint;
};
const probed = (endpoint: Endpoint, at = now) => endpoint.found(due({ probeAskedAt: new Date(at) }), at);

describe('an endpoint', () => {
  it('waits for its first delivery, or for a retry', () => {
    const endpoint = new Endpoint('w', 't', settings);
    expect(endpoint.waiting(now)).toBeUndefined();
    expect(endpoint.isIdle(now)).toBe(true);
    endpoint.wake(1);
    expect(endpoint.waiting(now)).toMatchObject({ hasFirst: true, hasRetry: false, inFlight: 0 });
    endpoint.found(due(), now);
    expect(endpoint.waiting(now)).toMatchObject({ hasFirst: true, hasRetry: true });
    endpoint.hasFirst = false;
    expect(endpoint.waiting(now)).toMatchObject({ hasFirst: false, hasRetry: true });
    expect(endpoint.isIdle(now)).toBe(false);
  });

  it('searches from the lowest sequence of its wake-ups, and counts them and the polls that found it', () => {
    const endpoint = new Endpoint('w', 't', settings);
    endpoint.floor = 10;
    endpoint.wake(20);
    expect(endpoint.floor).toBe(10);
    endpoint.wake(5);
    expect(endpoint.floor).toBe(4);
    endpoint.found(due(), now);
    expect(endpoint.calls).toBe(3);
  });

  it('has room for attempts up to its cap, a quarter of it for first attempts only', () => {
    const endpoint = found();
    expect(endpoint.waiting(now)).toMatchObject({ hasFirst: true, hasRetry: true, room: initialCap, retryLimit: 12 });
    times(4, () => endpoint.began(true));
    endpoint.began(false);
    expect(endpoint.waiting(now)).toMatchObject({ room: 11, retryLimit: 8, inFlight: 5 });
    times(11, () => endpoint.began(false));
    expect(endpoint.waiting(now)).toBeUndefined();
    endpoint.ended(true, false);
    expect(endpoint.waiting(now)).toMatchObject({ room: 1, retryLimit: 9, inFlight: 15 });
  });

  it('gets a higher cap by quick successes and a lower one by slow responses, whole numbers for both kinds', () => {
    const endpoint = found();
    times(3, () => endpoint.succeeded(10));
    expect(endpoint.waiting(now)).toMatchObject({ room: 16, retryLimit: 12 });
    endpoint.succeeded(10);
    expect(endpoint.waiting(now)).toMatchObject({ room: 17, retryLimit: 13 });
    endpoint.failed(10, now);
    expect(endpoint.waiting(now)).toMatchObject({ room: 17 });
    times(7, () => endpoint.began(true));
    endpoint.succeeded(6_000);
    expect(endpoint.waiting(now)).toMatchObject({ room: 1, retryLimit: 0 });
    endpoint.failed(6_000, now);
    expect(endpoint.waiting(now)).toBeUndefined();
  });

  it('gets no further attempts while a quarter of its cap is long ones, and at least one may be long', () => {
    const endpoint = found();
    times(4, () => endpoint.began(false));
    times(3, () => endpoint.tookLong());
    expect(endpoint.waiting(now)?.room).toBe(12);
    endpoint.tookLong();
    expect(endpoint.waiting(now)).toBeUndefined();
    endpoint.ended(false, true);
    expect(endpoint.waiting(now)?.room).toBe(13);
    times(3, () => endpoint.ended(false, true));
    times(3, () => endpoint.succeeded(6_000));
    expect(endpoint.waiting(now)?.room).toBe(2);
    endpoint.began(false);
    expect(endpoint.waiting(now)?.room).toBe(1);
    endpoint.tookLong();
    expect(endpoint.waiting(now)).toBeUndefined();
  });

  it('waits until a delay that the receiver requested or another pause ends, the later of both', () => {
    const endpoint = found();
    endpoint.failed(5, now, 300);
    endpoint.pauseFor(now, 100);
    expect(endpoint.waiting(now + 299)).toBeUndefined();
    expect(endpoint.waiting(now + 300)).toBeDefined();
    endpoint.pauseFor(now, 400);
    expect(endpoint.waiting(now + 399)).toBeUndefined();
    expect(endpoint.waiting(now + 400)).toBeDefined();
  });

  it('is idle once it has nothing due, in flight or to wait for', () => {
    const endpoint = found();
    endpoint.began(false);
    Object.assign(endpoint, { hasFirst: false, hasRetry: false });
    expect(endpoint.isIdle(now)).toBe(false);
    endpoint.ended(false, false);
    expect(endpoint.isIdle(now)).toBe(true);
    endpoint.hasRetry = true;
    expect(endpoint.isIdle(now)).toBe(false);
    endpoint.hasRetry = false;
    endpoint.pauseFor(now, 50);
    expect([endpoint.isIdle(now + 49), endpoint.isIdle(now + 50)]).toEqual([false, true]);
    times(2, () => endpoint.failed(5, now));
    expect([endpoint.isIdle(now + 99), endpoint.isIdle(now + 100)]).toEqual([false, true]);
  });

  it('forgets what was measured of it when its webhook is changed', () => {
    const endpoint = open();
    endpoint.succeeded(6_000);
    times(2, () => endpoint.failed(5, now, 10_000));
    probed(endpoint);
    endpoint.pauseFor(now, 10_000);
    endpoint.reset();
    expect(endpoint.waiting(now)?.room).toBe(initialCap);
    expect(endpoint).toMatchObject({ isProbed: false, openUntil: undefined, trips: 0 });
  });
});

describe('the breaker of an endpoint', () => {
  it('stays open as long as this process knows, if a poll read an earlier opening', () => {
    const endpoint = found();
    times(2, () => endpoint.failed(5, now));
    endpoint.found(due({ openUntil: new Date(now + 99), failures: 9, trips: 7 }), now);
    expect(endpoint).toMatchObject({ openUntil: new Date(now + 100), trips: 1 });
    endpoint.found(due({ openUntil: new Date(now + 100), failures: 9, trips: 7 }), now);
    expect(endpoint.trips).toBe(1);
  });

  it('opens for as long as another process opened it, and counts its pauses on', () => {
    const endpoint = found();
    times(2, () => endpoint.failed(5, now));
    endpoint.found(due({ openUntil: new Date(now + 500), failures: 9, trips: 2 }), now);
    expect([endpoint.waiting(now + 499), endpoint.waiting(now + 500)?.room]).toEqual([undefined, 1]);
    endpoint.failed(5, now + 500);
    expect(endpoint).toMatchObject({ openUntil: new Date(now + 900), trips: 3 });
  });

  it('is closed by a success', () => {
    const endpoint = open();
    endpoint.succeeded(5);
    expect(endpoint.waiting(now)?.room).toBe(initialCap);
    expect(endpoint).toMatchObject({ openUntil: undefined, trips: 0 });
  });
});

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

  it('is not needed by an endpoint whose pause ends now', () => {
    const endpoint = found();
    endpoint.pauseFor(now, 100);
    probed(endpoint, now + 100);
    expect(endpoint.isProbed).toBe(false);
  });
});
