import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareSlots, type Waiting } from './share-slots.js';

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

describe('sharing the free slots', () => {
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
