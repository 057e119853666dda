import { describe, expect, it } from '@jest/globals';
import { choose, eventGroups, otherEvents } from './event-choices.js';

describe('the choice of events', () => {
  it('offers each event except tests below its prefix', () => {
    const prefixes = eventGroups.map(({ prefix }) => prefix);
    expect(prefixes).toEqual(expect.arrayContaining(['user.*', 'sync.job.*']));
    expect(prefixes).not.toContain('webhook.*');
    for (const { prefix, types } of eventGroups)
      for (const type of types) expect(type.startsWith(prefix.slice(0, -1))).toBe(true);
  });

  it('replaces the events of a prefix with the prefix, and everything with *', () => {
    const some = ['user.created', 'group.created', 'later.event'];
    expect(choose(some, 'user.*', true)).toEqual(['group.created', 'later.event', 'user.*']);
    expect(choose(some, '*', true)).toEqual(['*']);
    expect(choose(some, 'group.created', false)).toEqual(['user.created', 'later.event']);
  });

  it('keeps entries that this version does not know', () => {
    expect(otherEvents(['*', 'user.*', 'user.created', 'sync.*', 'later.event'])).toEqual(['sync.*', 'later.event']);
  });
});
