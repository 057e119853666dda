import { describe, expect, it } from '@jest/globals';
import { eventsSearch, startOf } from '../data/searches.js';
import { movedUp, rowsOf, withKeys } from './rules/edit-rules.js';
import { changesIn, limitsOf, withoutSection } from './tenant-settings/settings-input.js';
import { localTime, windowOf } from './webhooks/replay-window.js';

const settings = {
  approval_hours: 24,
  start_days_before: 0,
  grace_days: 30,
  retention_days: 30,
  stale_source_hours: 48,
  unmatched_account_hours: 24,
  service_token_max_days: null,
  time_zone: 'UTC',
  four_eyes: false,
  log_reads: false,
};
const draft = { grace_days: '14', retention_days: '30', time_zone: 'Asia/Tokyo', four_eyes: true, approval_hours: '' };

it('sends the settings of a section that differ, with numbers as numbers', () => {
  expect(changesIn('people', settings, draft)).toEqual({ grace_days: 14, time_zone: 'Asia/Tokyo' });
  expect(changesIn('operators', settings, draft)).toEqual({ four_eyes: true });
  expect(changesIn('findings', settings, draft)).toEqual({});
});

it('sends a number for a setting that had no value', () => {
  const unset = { ...settings, approval_hours: null };
  expect(changesIn('operators', unset, { approval_hours: '12' })).toEqual({ approval_hours: 12 });
  expect(changesIn('operators', unset, { approval_hours: '' })).toEqual({});
});

it('sends no value for an emptied number that may be empty', () => {
  const limited = { ...settings, service_token_max_days: 30 };
  expect(changesIn('operators', limited, { service_token_max_days: '' })).toEqual({ service_token_max_days: null });
  expect(changesIn('operators', settings, { service_token_max_days: '' })).toEqual({});
});

it('keeps what was entered in the other sections', () => {
  expect(withoutSection('people', draft)).toEqual({ four_eyes: true, approval_hours: '' });
});

it('sends all limits of a tenant, and none for an empty one', () => {
  expect(limitsOf({ people: '1000', webhooks: '', connectors: '0' })).toEqual({ people: 1000, connectors: 0 });
});

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

const rules = {
  certain: ['employee_number', 'attributes.badge'],
  weak: [],
  keys: [{ field: 'attributes.badge', normaliser: 'digits' as const, strength: 'permanent' as const }],
  stop_values: [],
  several_employments: 'primary' as const,
};

describe('matching rules in the console', () => {
  it('stay the same when nothing is edited', () => {
    expect(withKeys(rules, rowsOf(rules))).toEqual(rules);
  });

  it('have settings for each attribute, and none for a built-in key without any', () => {
    const edited = withKeys(rules, [{ field: 'email' }, { field: 'attributes.phone' }]);
    expect(edited.certain).toEqual(['email', 'attributes.phone']);
    expect(edited.keys).toEqual([{ field: 'attributes.phone', normaliser: 'case', strength: 'reusable' }]);
    expect(withKeys(rules, [{ field: 'email' }]).keys).toEqual([]);
  });

  it('rank keys by their position', () => {
    expect([movedUp(['a', 'b', 'c'], 2), movedUp(['a', 'b'], 0)]).toEqual([
      ['a', 'c', 'b'],
      ['a', 'b'],
    ]);
  });
});
