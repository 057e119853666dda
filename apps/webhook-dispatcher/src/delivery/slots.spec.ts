import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultBreaker } from './breaker.js';
import { Endpoint } from './endpoint.js';
import { type Slot, Slots } from './slots.js';

const settings = {
  slots: 10,
  retrySlots: 7,
  tenantSlots: 5,
  longMs: 1_000,
  longSlots: 20,
  tenantLongSlots: 8,
};
const endpoint = (tenantId: string) => new Endpoint(`webhook of ${tenantId}`, tenantId, defaultBreaker);

describe('delivery slots', () => {
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
