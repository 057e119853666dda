import { describe, expect, it } from '@jest/globals';
import { localTime, windowOf } from './replay-window.js';

describe('the window of a replay', () => {
  it('is none before a time is given', () => {
    expect(windowOf({ since: '', until: '2026-11-24T13:05', events: '' })).toBeUndefined();
  });

  it('has its times in UTC, and no end or events if none are given', () => {
    const since = Date.parse('2026-11-24T13:05');
    expect(windowOf({ since: '2026-11-24T13:05', until: '', events: ' \n' })).toEqual({
      since: new Date(since).toISOString(),
    });
    expect(windowOf({ since: localTime(since), until: localTime(since + 60_000), events: 'user.*\n\n a.b ' })).toEqual({
      since: new Date(since).toISOString(),
      until: new Date(since + 60_000).toISOString(),
      events: ['user.*', 'a.b'],
    });
  });
});
