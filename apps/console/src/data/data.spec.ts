import { describe, expect, it } from '@jest/globals';
import { isAffected } from './live-events.js';
import { machineOf } from './person.js';
import { offsetPages } from './query-client.js';
import { searchOf, textOf } from './search-params.js';

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

interface Page {
  data: number[];
  total: number;
  total_is_estimate?: boolean;
  offset: number;
}

it('reads the next page until the total is reached, or until a page is empty if there are more than it counts', () => {
  const pages = offsetPages<number, Page>(['numbers'], async (offset) => ({ data: [], total: 0, offset }));
  const next = (page: Page) => pages.getNextPageParam(page, [], 0, []);
  expect(next({ data: [1, 2], total: 5, offset: 2 })).toBe(4);
  expect(next({ data: [1], total: 5, offset: 4 })).toBeUndefined();
  expect(next({ data: [1], total: 5, total_is_estimate: true, offset: 4 })).toBe(5);
  expect(next({ data: [], total: 5, total_is_estimate: true, offset: 6 })).toBeUndefined();
});

const machine = { id: 'mid_1' } as never;
const account = { id: 'acc_1' } as never;

it('is a machine if an identity has nothing else', () => {
  expect(machineOf({ users: [], accounts: [], machine_identities: [machine] })).toBe(machine);
  expect(machineOf({ users: [], accounts: [account], machine_identities: [machine] })).toBeUndefined();
  expect(machineOf({ users: [], accounts: [], machine_identities: [] })).toBeUndefined();
});

it('reads parameters of a URL, and takes what it does not know for none', () => {
  expect([textOf('a'), textOf(1001), textOf(''), textOf(['a']), textOf(undefined)]).toEqual([
    'a',
    '1001',
    undefined,
    undefined,
    undefined,
  ]);
  const search = searchOf({ q: 'text', status: ['open', 'closed'], matched: ['true', 'false'] });
  expect(search({ q: 1001, status: 'open', matched: false })).toEqual({ q: '1001', status: 'open', matched: 'false' });
  expect(search({ q: '', status: 'other', another: 'x' })).toEqual({});
});
