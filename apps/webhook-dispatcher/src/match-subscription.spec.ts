import { eventTypes } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { wantsEvent } from './match-subscription.js';

describe('the event filter of a webhook', () => {
  it.each([
    ['a type it lists', ['user.created'], 'user.created'],
    ['a type under a listed prefix', ['identity.*'], 'identity.status_changed'],
    ['a type two levels under a listed prefix', ['sync.*'], 'sync.job.completed'],
    ['a type under a longer listed prefix', ['sync.job.*'], 'sync.job.failed'],
    ['a type that one of several entries matches', ['account.linked', 'user.*'], 'user.deleted'],
  ])('matches %s', (_, events, type) => {
    expect(wantsEvent(events, type)).toBe(true);
  });

  it.each([
    ['another type', ['user.created'], 'user.updated'],
    ['a longer type that starts with a listed name', ['user.create'], 'user.created'],
    ['a type whose first segment is longer than the prefix', ['user.*'], 'user_group.created'],
    ['a prefix without its dot', ['identity*'], 'identity.created'],
    ['a noun without a wildcard', ['identity'], 'identity.created'],
    ['anything if it is empty', [], 'user.created'],
  ])('does not match %s', (_, events, type) => {
    expect(wantsEvent(events, type)).toBe(false);
  });

  it('matches every event type with *', () => {
    expect(eventTypes.filter((type) => !wantsEvent(['*'], type))).toEqual([]);
  });
});
