import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultBreaker } from './breaker.js';
import { Endpoint, initialCap, nextCap } from './endpoint.js';
import { shareSlots, type Waiting } from './share-slots.js';
import { type Slot, Slots } from './slots.js';

describe('delivery slots', () => {
  const settings = {
    slots: 10,
    retrySlots: 7,
    tenantSlots: 5,
    longMs: 1_000,
    longSlots: 20,
    tenantLongSlots: 8,
  };
  const endpoint = (tenantId: string) => new Endpoint(`webhook of ${tenantId}`, tenantId, defaultBreaker);

  it('are taken by attempts in flight and released at their end', () => {
    const slots = new Slots(settings);
    const slot = slots.take(endpoint('a'), true, 0);
    expect(slots.room(0)).toMatchObject({ total: 9, retries: 6 });
    expect(slots.room(0).ofTenant('a')).toBe(4);
    slots.free(slot);
    expect(slots.room(0)).toMatchObject({ total: 10, retries: 7 });
    expect(slots.room(0).ofTenant('a')).toBe(5);
  });

  it('are released by long attempts, which are counted separately from then on', () => {
    const slots = new Slots(settings);
    const slow = endpoint('a');
    const taken = Array.from({ length: 5 }, () => slots.take(slow, false, 0));
    expect(slots.room(999).ofTenant('a')).toBe(0);
    expect(slots.room(1_000)).toMatchObject({ total: 10 });
    expect(slots.room(1_000).ofTenant('a')).toBe(5);
    expect(slow).toMatchObject({ inFlight: 5, long: 5 });
    for (const slot of taken) slots.free(slot);
    expect(slow).toMatchObject({ inFlight: 0, long: 0 });
  });

  it('are granted to a tenant again after its long attempts have ended', () => {
    const slots = new Slots({ ...settings, tenantLongSlots: 2 });
    const slow = endpoint('a');
    const taken = [slots.take(slow, false, 0), slots.take(slow, false, 0)];
    expect(slots.room(1_000).ofTenant('a')).toBe(0);
    for (const slot of taken) slots.free(slot);
    const next = [slots.take(slow, false, 1_000), slots.take(slow, false, 1_500)] as const;
    expect(slots.room(1_000).ofTenant('a')).toBe(3);
    expect(slots.room(2_000).ofTenant('a')).toBe(4);
    expect(slots.room(2_500).ofTenant('a')).toBe(0);
    slots.free(next[0]);
    slots.take(slow, false, 2_500);
    expect(slots.room(3_500).ofTenant('a')).toBe(0);
    slots.free(next[1]);
    expect(slots.room(3_500).ofTenant('a')).toBe(5);
  });

  it('are granted to all again after long attempts have ended', () => {
    const slots = new Slots({ ...settings, longSlots: 2 });
    const [one, other] = [slots.take(endpoint('a'), false, 0), slots.take(endpoint('b'), false, 0)];
    expect(slots.room(1_000)).toMatchObject({ total: 0 });
    slots.free(one);
    expect(slots.room(1_000)).toMatchObject({ total: 10 });
    slots.free(other);
    slots.take(endpoint('a'), false, 1_000);
    expect(slots.room(2_000)).toMatchObject({ total: 10 });
    slots.take(endpoint('a'), false, 2_000);
    expect(slots.room(3_000)).toMatchObject({ total: 0 });
  });

  it('are not counted as long after attempts that ended in time', () => {
    const slots = new Slots({ ...settings, tenantLongSlots: 1 });
    slots.free(slots.take(endpoint('a'), false, 0));
    slots.take(endpoint('a'), false, 0);
    expect(slots.room(0).ofTenant('a')).toBe(4);
  });

  it('are refused to a tenant, and to all, while too many attempts are long', () => {
    const slots = new Slots(settings);
    for (let n = 0; n < 8; n += 1) slots.take(endpoint('a'), false, 0);
    expect(slots.room(1_000).ofTenant('a')).toBe(0);
    expect(slots.room(1_000)).toMatchObject({ total: 10 });
    for (let n = 0; n < 12; n += 1) {
      expect(slots.room(2_000)).toMatchObject({ total: 10 });
      slots.take(endpoint(`b${n}`), false, 1_000);
    }
    expect(slots.room(2_000)).toMatchObject({ total: 0 });
  });

  it('are all free after every attempt has ended, in any order and after any duration', () => {
    const steps = fc.array(
      fc.record({
        tenant: fc.constantFrom('a', 'b'),
        isRetry: fc.boolean(),
        end: fc.nat(),
        wait: fc.integer({ min: 0, max: 700 }),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const slots = new Slots(settings);
        const endpoints = new Map(['a', 'b'].map((tenant) => [tenant, endpoint(tenant)]));
        const held: Slot[] = [];
        let now = 0;
        for (const { tenant, isRetry, end, wait } of list) {
          now += wait;
          const { total, retries, ofTenant } = slots.room(now);
          expect(total).toBeLessThanOrEqual(settings.slots);
          const of = endpoints.get(tenant);
          const free = Math.min(total, ofTenant(tenant), isRetry ? retries : total);
          if (of && free > 0) held.push(slots.take(of, isRetry, now));
          else if (held.length > 0) slots.free(held.splice(end % held.length, 1)[0] as Slot);
        }
        for (const slot of held) slots.free(slot);
        expect(slots.room(now)).toMatchObject({ total: settings.slots, retries: settings.retrySlots });
        for (const [tenant, of] of endpoints) {
          expect(slots.room(now).ofTenant(tenant)).toBe(settings.tenantSlots);
          expect(of).toMatchObject({ inFlight: 0, retriesInFlight: 0, long: 0 });
        }
      }),
    );
  });
});

describe('sharing the free slots', () => {
  const endpoint = (id: number, more: Partial<Waiting> = {}): Waiting => ({
    webhookId: `w${id}`,
    tenantId: 't',
    floor: 0,
    inFlight: 0,
    room: 64,
    retryLimit: 48,
    hasFirst: true,
    hasRetry: false,
    ...more,
  });
  const free = (total: number, retries = total, ofTenant = total) => ({ total, retries, ofTenant: () => ofTenant });
  const rooms = (requests: ReturnType<typeof shareSlots>) =>
    requests.map(({ webhookId, firstLimit, retryLimit }) => [webhookId, firstLimit, retryLimit]);

  const waiting = fc.array(
    fc.record({
      tenantId: fc.constantFrom('a', 'b', 'c'),
      inFlight: fc.integer({ min: 0, max: 64 }),
      room: fc.integer({ min: 0, max: 64 }),
      retryLimit: fc.integer({ min: 0, max: 48 }),
      hasFirst: fc.boolean(),
      hasRetry: fc.boolean(),
    }),
    { maxLength: 30 },
  );

  it('gives each endpoint the same number, and unused slots to the next ones', () => {
    expect(rooms(shareSlots([endpoint(1, { room: 2 }), endpoint(2), endpoint(3)], free(22)))).toEqual([
      ['w1', 2, 0],
      ['w2', 10, 0],
      ['w3', 10, 0],
    ]);
  });

  it('gives free slots to the endpoint with the fewest attempts in flight, so that slow endpoints do not hold more than quick ones', () => {
    const slow = [1, 2, 3].map((id) => endpoint(id, { inFlight: 8 }));
    expect(rooms(shareSlots([...slow, endpoint(4)], free(6)))).toEqual([['w4', 6, 0]]);
    expect(rooms(shareSlots([...slow, endpoint(4, { inFlight: 6 })], free(6)))).toEqual([
      ['w1', 1, 0],
      ['w2', 1, 0],
      ['w3', 1, 0],
      ['w4', 3, 0],
    ]);
  });

  it('evens out the attempts in flight of a tenant within its free slots', () => {
    const list = fc.array(fc.record({ inFlight: fc.integer({ min: 0, max: 20 }) }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(list, fc.integer({ min: 0, max: 200 }), (each, slots) => {
        const endpoints = each.map(({ inFlight }, id) => endpoint(id, { inFlight, room: 64 - inFlight }));
        const given = new Map(
          shareSlots(endpoints, free(slots)).map((request) => [request.webhookId, request.firstLimit]),
        );
        const held = endpoints.map(({ webhookId, inFlight }) => inFlight + (given.get(webhookId) ?? 0));
        const least = Math.min(...held);
        for (const [at, { webhookId }] of endpoints.entries()) {
          // A served endpoint has at most one more than the lowest.
          if (given.has(webhookId)) expect(held[at]).toBeLessThanOrEqual(least + 1);
        }
      }),
    );
  });

  it('gives retries half if first attempts wait too, all if none wait, and none if no retry slot is free', () => {
    const both = endpoint(1, { room: 10, hasRetry: true });
    expect(rooms(shareSlots([both], free(100)))).toEqual([['w1', 5, 5]]);
    expect(rooms(shareSlots([{ ...both, hasFirst: false }], free(100)))).toEqual([['w1', 0, 10]]);
    expect(rooms(shareSlots([both], free(100, 0)))).toEqual([['w1', 10, 0]]);
  });

  it('gives all retry slots to endpoints with retries only', () => {
    const retries = [1, 2].map((id) => endpoint(id, { hasFirst: false, hasRetry: true }));
    expect(rooms(shareSlots(retries, free(100, 5)))).toEqual([
      ['w1', 0, 3],
      ['w2', 0, 2],
    ]);
  });

  it('lets the probe of a half-open endpoint be a retry', () => {
    expect(rooms(shareSlots([endpoint(1, { room: 1, hasRetry: true })], free(100)))).toEqual([['w1', 0, 1]]);
  });

  it('never exceeds the limits: total, retries, tenant, endpoint', () => {
    const slots = fc.integer({ min: 0, max: 200 });
    fc.assert(
      fc.property(waiting, slots, slots, slots, (list, total, retries, ofTenant) => {
        const endpoints = list.map((each, index) => endpoint(index, each));
        const requests = shareSlots(endpoints, { total, retries, ofTenant: () => ofTenant });
        const byId = new Map(endpoints.map((each) => [each.webhookId, each]));
        const sum = (of: (request: (typeof requests)[number]) => number) =>
          requests.reduce((all, request) => all + of(request), 0);
        const taken = ({ firstLimit, retryLimit }: (typeof requests)[number]) => firstLimit + retryLimit;
        expect(sum(taken)).toBeLessThanOrEqual(total);
        expect(sum(({ retryLimit }) => retryLimit)).toBeLessThanOrEqual(retries);
        for (const tenant of ['a', 'b', 'c']) {
          const own = (request: (typeof requests)[number]) =>
            byId.get(request.webhookId)?.tenantId === tenant ? taken(request) : 0;
          expect(sum(own)).toBeLessThanOrEqual(ofTenant);
        }
        for (const request of requests) {
          const each = byId.get(request.webhookId);
          expect(taken(request)).toBeGreaterThan(0);
          expect(taken(request)).toBeLessThanOrEqual(each?.room ?? 0);
          expect(request.retryLimit).toBeLessThanOrEqual(each?.retryLimit ?? 0);
        }
      }),
    );
  });

  it('serves every endpoint if there are enough slots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 100 }), (count, more) => {
        const endpoints = Array.from({ length: count }, (_, index) => endpoint(index));
        expect(shareSlots(endpoints, free(count + more))).toHaveLength(count);
      }),
    );
  });
});

const after = (durations: number[], from = initialCap) => durations.reduce(nextCap, from);

describe('the concurrency cap of an endpoint', () => {
  it('grows with quick responses, up to 64', () => {
    expect(after(Array(4).fill(10))).toBe(initialCap + 1);
    expect(after(Array(1_000).fill(10))).toBe(64);
  });

  it('is halved by each slow response, down to 2', () => {
    expect(after([5_000])).toBe(initialCap / 2);
    expect(after(Array(20).fill(15_000))).toBe(2);
  });

  it('does not change for responses between quick and slow', () => {
    expect(after([1_000, 3_000, 4_999])).toBe(initialCap);
  });
});
