import { expect, it } from '@jest/globals';
import { eventsSearch, startOf } from './events-search.js';

it('reads the filters of events from the URL, and leaves out a period that it does not know', () => {
  expect(eventsSearch({ types: 'user.*', identity: 'idn_1', since: '24h', other: 1 })).toEqual({
    types: 'user.*',
    identity: 'idn_1',
    since: '24h',
  });
  expect(eventsSearch({ since: '9h' })).toEqual({});
});

it('begins a period at a whole minute', () => {
  const now = Date.parse('2026-11-24T12:30:45.123Z');
  expect([startOf('1h', now), startOf('7d', now), startOf(undefined, now)]).toEqual([
    '2026-11-24T11:30:00.000Z',
    '2026-11-17T12:30:00.000Z',
    undefined,
  ]);
});
