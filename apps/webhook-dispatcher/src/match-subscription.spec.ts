import { eventTypes } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { wantsEvent } from './match-subscription.js';

describe('a subscription', () => {
  it.each([
    ['a type it names', ['user.created'], 'user.created'],
    ['a type under a prefix it names', ['identity.*'], 'identity.status_changed'],
    ['a type two levels under a prefix', ['sync.*'], 'sync.job.completed'],
    ['a type under a deeper prefix', ['sync.job.*'], 'sync.job.failed'],
    ['what any of its names wants', ['account.linked', 'user.*'], 'user.deleted'],
  ])('wants %s', (_, events, type) => {
    expect(wantsEvent(events, type)).toBe(true);
  });

  it.each([
    ['another type', ['user.created'], 'user.updated'],
    ['a type that only begins like its name', ['user.create'], 'user.created'],
    ['a type whose first word is longer than its prefix', ['user.*'], 'user_group.created'],
    ['anything by a prefix without its dot', ['identity*'], 'identity.created'],
    ['anything by the noun alone', ['identity'], 'identity.created'],
    ['anything if it names nothing', [], 'user.created'],
  ])('does not want %s', (_, events, type) => {
    expect(wantsEvent(events, type)).toBe(false);
  });

  it('wants every type there is by *', () => {
    expect(eventTypes.filter((type) => !wantsEvent(['*'], type))).toEqual([]);
  });
});
