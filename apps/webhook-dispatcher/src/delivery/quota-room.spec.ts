import { describe, expect, it } from '@jest/globals';
import { changedQuotas, nextHour, withinRoom } from './quota-room.js';

const request = (webhookId: string, firstLimit: number, retryLimit: number) => ({
  tenantId: 't',
  webhookId,
  firstLimit,
  retryLimit,
  floor: 0,
});
const limits = (room: number, ...requests: ReturnType<typeof request>[]) =>
  withinRoom(requests, room).map(({ webhookId, firstLimit, retryLimit }) => [webhookId, firstLimit, retryLimit]);

describe('claims of a tenant with a quota', () => {
  it.each([7, 100])('stay as they are while there is room: %p', (room) => {
    expect(limits(room, request('a', 3, 1), request('b', 2, 1))).toEqual([
      ['a', 3, 1],
      ['b', 2, 1],
    ]);
  });

  it('share what is left between the webhooks, first attempts first', () => {
    expect(limits(4, request('a', 5, 5), request('b', 1, 5))).toEqual([
      ['a', 2, 0],
      ['b', 1, 1],
    ]);
  });

  it('never exceed what is left, also if it does not suffice for one attempt of each webhook', () => {
    const both = [request('a', 5, 5), request('b', 1, 5)] as const;
    expect([3, 1].map((room) => limits(room, ...both))).toEqual([
      [
        ['a', 2, 0],
        ['b', 1, 0],
      ],
      [['a', 1, 0]],
    ]);
  });

  it.each([0, -5])('are none without room: %p', (room) => {
    expect(limits(room, request('a', 5, 5))).toEqual([]);
  });

  it.each([0, 1, 3_599_999])('wait for the next hour of the clock: %p ms after it began', (ms) => {
    expect(nextHour(Date.UTC(2026, 0, 1, 12) + ms)).toBe(Date.UTC(2026, 0, 1, 13));
  });

  it('no longer wait once the quota is changed or removed', () => {
    const before = new Map(Object.entries({ same: 1, raised: 1, removed: 1 }));
    const after = new Map(Object.entries({ same: 1, raised: 2, added: 1 }));
    expect(changedQuotas(before, after).sort()).toEqual(['added', 'raised', 'removed']);
  });
});
