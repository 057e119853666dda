import { describe, expect, it } from '@jest/globals';
import { isAffected } from './affected-queries.js';

const tenant = 'ten_1';
const affected = (key: unknown[], ...types: string[]) =>
  isAffected(
    key,
    tenant,
    types.map((event_type) => ({ event_type, identity_id: 'idn_1' })),
  );

describe('queries that events change', () => {
  it.each([
    [['events', tenant, {}], 'group.created'],
    [['activity', tenant], 'webhook.test'],
    [['people', tenant, {}], 'user.updated'],
    [['jobs', tenant, 'job_1'], 'sync.job.completed'],
    [['identity', tenant, 'idn_1', 'history'], 'account.linked'],
  ])('contain %j after %s', (key, type) => {
    expect(affected(key, type)).toBe(true);
  });

  it.each([
    [['events', 'ten_2', {}], 'group.created'],
    [['people', tenant, {}], 'sync.job.completed'],
    [['identity', tenant, 'idn_2', 'now'], 'account.linked'],
    [['settings', tenant], 'identity.created'],
    [['session'], 'identity.created'],
  ])('do not contain %j after %s', (key, type) => {
    expect(affected(key, type)).toBe(false);
  });

  it('are all of the tenant that events can change if the events are unknown', () => {
    expect(
      [
        ['people', tenant],
        ['identity', tenant, 'idn_2'],
        ['jobs', tenant],
      ].map((key) => isAffected(key, tenant)),
    ).toEqual([true, true, true]);
    expect(
      [
        ['people', 'ten_2'],
        ['settings', tenant],
      ].map((key) => isAffected(key, tenant)),
    ).toEqual([false, false]);
  });
});
