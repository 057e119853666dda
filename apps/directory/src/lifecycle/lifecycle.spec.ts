import { defaultLifecyclePolicy, type LifecyclePolicy, type PersonStatus, personStatuses } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { employmentOf, employmentRules, lifecycleEvent, nextDue, nextStatus, retentionMs } from './lifecycle.js';

const now = new Date('2026-06-01T00:00:00Z');
const past = new Date('2026-05-31T00:00:00Z');
const future = new Date('2026-06-02T00:00:00Z');
const later = new Date('2026-06-03T00:00:00Z');
const days = (count: number) => count * 24 * 60 * 60 * 1_000;
const rules = employmentRules(defaultLifecyclePolicy, 'any');
const longAgo = new Date(now.getTime() - rules.graceMs);

const origins = [
  undefined,
  ...personStatuses.map((status) => ({ status, since: past })),
  { status: 'inactive' as const, since: longAgo },
];

describe('the grace period and the retention', () => {
  it('take thirty days each by default', () => {
    const thirtyDaysMs = 2_592_000_000;
    expect([rules.graceMs, retentionMs(defaultLifecyclePolicy)]).toEqual([thirtyDaysMs, thirtyDaysMs]);
  });
});

describe('the status of a user', () => {
  it.each<[PersonStatus | undefined, Date | undefined, PersonStatus]>([
    [undefined, undefined, 'active'],
    [undefined, past, 'active'],
    [undefined, now, 'active'],
    [undefined, future, 'pending'],
    ['pending', undefined, 'pending'],
    ['pending', past, 'active'],
    ['pending', future, 'pending'],
    ['active', undefined, 'active'],
    ['active', past, 'active'],
    ['active', future, 'pending'],
    ['suspended', undefined, 'suspended'],
    ['suspended', past, 'suspended'],
    ['suspended', future, 'suspended'],
    ['deleted', undefined, 'deleted'],
    ['deleted', past, 'deleted'],
    ['deleted', future, 'deleted'],
  ])('with source status %s and start %s is %s from any previous status', (sourceStatus, startsAt, expected) => {
    for (const before of origins) expect(nextStatus(before, { sourceStatus, startsAt }, rules, now)).toBe(expected);
    for (const before of origins) {
      expect(nextStatus(before, { sourceStatus, startsAt, endsAt: later }, rules, now)).toBe(expected);
    }
  });

  it.each<[PersonStatus | undefined, PersonStatus]>([
    [undefined, 'inactive'],
    ['pending', 'inactive'],
    ['active', 'inactive'],
    ['suspended', 'inactive'],
    ['inactive', 'inactive'],
    ['deleted', 'deleted'],
  ])('with source status %s is %s from the end of the employment', (sourceStatus, expected) => {
    for (const startsAt of [undefined, longAgo, future]) {
      const employment = { sourceStatus, startsAt, endsAt: now };
      expect(nextStatus({ status: 'active', since: past }, employment, rules, now)).toBe(expected);
    }
  });

  it.each<[(typeof origins)[number], PersonStatus]>([
    [undefined, 'inactive'],
    [{ status: 'pending', since: longAgo }, 'inactive'],
    [{ status: 'active', since: longAgo }, 'inactive'],
    [{ status: 'suspended', since: longAgo }, 'inactive'],
    [{ status: 'inactive', since: past }, 'inactive'],
    [{ status: 'inactive', since: longAgo }, 'deleted'],
    [{ status: 'deleted', since: past }, 'deleted'],
  ])('with source status inactive, or after the end, following %j is %s', (before, expected) => {
    expect(nextStatus(before, { sourceStatus: 'inactive' }, rules, now)).toBe(expected);
    expect(nextStatus(before, { sourceStatus: 'active', endsAt: past }, rules, now)).toBe(expected);
  });

  it('is deleted after the grace period of the policy', () => {
    const [left, own] = [
      { status: 'inactive' as const, since: past },
      { ...rules, graceMs: days(2) },
    ];
    expect(nextStatus(left, { sourceStatus: 'inactive' }, own, now)).toBe('inactive');
    expect(nextStatus(left, { sourceStatus: 'inactive' }, own, future)).toBe('deleted');
  });
});

describe('the time of the next change', () => {
  const due = (status: PersonStatus, employment: object) => nextDue({ status, since: past }, employment, rules);

  it('of a pending user is the start, or the end if that is earlier', () => {
    expect(due('pending', { startsAt: future })).toEqual(future);
    expect(due('pending', { startsAt: future, endsAt: later })).toEqual(future);
    expect(due('pending', { startsAt: later, endsAt: future })).toEqual(future);
    expect(due('pending', {})).toBeUndefined();
  });

  it('of an active or suspended user is the end of the employment', () => {
    for (const status of ['active', 'suspended'] as const) {
      expect(due(status, { startsAt: longAgo, endsAt: later })).toEqual(later);
      expect(due(status, { startsAt: future })).toBeUndefined();
    }
  });

  it('of an inactive user is the end of the grace period, and a deleted user has none', () => {
    expect(due('inactive', { endsAt: past })).toEqual(new Date(past.getTime() + rules.graceMs));
    expect(due('deleted', { startsAt: future, endsAt: later })).toBeUndefined();
  });
});

describe('the employment of a record', () => {
  const day = (date: string) => [`${date}T00:00:00.000Z`];
  const under = (policy: Partial<LifecyclePolicy>, fields: Record<string, string[]>) =>
    employmentOf(fields, employmentRules({ ...defaultLifecyclePolicy, ...policy }, 'own'));
  const times = (policy: Partial<LifecyclePolicy>, hire_date: string[], termination_date: string[] = []) => {
    const { startsAt, endsAt } = under(policy, { hire_date, termination_date });
    return [startsAt?.toISOString(), endsAt?.toISOString()];
  };

  it('is the status and the dates of the source, without missing values', () => {
    expect(under({}, { status: ['pending'], hire_date: day('2026-07-01') })).toEqual({
      sourceStatus: 'pending',
      startsAt: new Date('2026-07-01'),
    });
    expect(under({}, {})).toEqual({});
  });

  it('lasts from the beginning of the hire date to the end of the termination date', () => {
    expect(times({}, day('2026-07-01'), day('2026-09-30'))).toEqual([
      '2026-07-01T00:00:00.000Z',
      '2026-10-01T00:00:00.000Z',
    ]);
  });

  it.each([
    ['UTC', '2026-07-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['Europe/Oslo', '2026-06-30T22:00:00.000Z', '2026-12-31T23:00:00.000Z'],
    ['America/New_York', '2026-07-01T04:00:00.000Z', '2027-01-01T05:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-06-30T10:00:00.000Z', '2026-12-31T10:00:00.000Z'],
  ])('has days of the time zone %s', (time_zone, start, end) => {
    expect(times({ time_zone }, day('2026-07-01'), day('2026-12-31'))).toEqual([start, end]);
  });

  it('has days of the time zone of its connector, if the policy names one', () => {
    const connector_time_zones = [{ connector_id: 'own', time_zone: 'Asia/Tokyo' }];
    const policy = { time_zone: 'Europe/Oslo', connector_time_zones };
    expect(times(policy, day('2026-07-01'))).toEqual(['2026-06-30T15:00:00.000Z', undefined]);
    expect(employmentRules({ ...defaultLifecyclePolicy, ...policy }, 'other').timeZone).toBe('Europe/Oslo');
  });

  it('begins and ends at the time that a date has', () => {
    expect(times({ time_zone: 'Europe/Oslo' }, ['2026-07-01T08:00:00.000Z'], ['2026-09-30T15:30:00.000Z'])).toEqual([
      '2026-07-01T08:00:00.000Z',
      '2026-09-30T15:30:00.000Z',
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-11-28T23:00:00.000Z', '2026-11-29', '2026-11-29T23:00:00.000Z'],
    ['Europe/Berlin', '2026-06-30T22:00:00.000Z', '2026-07-01', '2026-07-01T22:00:00.000Z'],
    ['America/New_York', '2026-11-29T05:00:00.000Z', '2026-11-29', '2026-11-30T05:00:00.000Z'],
  ])('has whole days at the times at which days begin in %s', (time_zone, midnight, date, end) => {
    expect(times({ time_zone }, [midnight], [midnight])).toEqual([midnight, end]);
    expect(times({ time_zone }, day(date), [midnight])).toEqual([midnight, end]);
    expect(times({}, [], [midnight])[1]).toBe(midnight);
  });

  it('begins some days before the hire date by the policy, also where the clocks change between them', () => {
    const policy = { time_zone: 'Europe/Oslo', start_days_before: 3 };
    expect(times(policy, day('2026-03-30'))).toEqual(['2026-03-26T23:00:00.000Z', undefined]);
    expect(times(policy, ['2026-07-01T08:00:00.000Z'])).toEqual(['2026-06-28T08:00:00.000Z', undefined]);
  });

  it.each(['9999-12-31', '9999-01-01', '0001-01-01', '1899-12-30', '1900-01-01'])(
    'has no end with the termination date %s',
    (date) => {
      expect(times({}, day('2026-07-01'), day(date))[1]).toBeUndefined();
      expect(times({}, [], day(date))[1]).toBeUndefined();
    },
  );

  it('does not end on a termination date before the hire date, which ended an earlier employment', () => {
    expect(times({ start_days_before: 30 }, day('2026-07-01'), day('2026-06-30'))[1]).toBeUndefined();
    expect(times({}, day('2026-07-01'), day('2026-07-01'))[1]).toBe('2026-07-02T00:00:00.000Z');
  });
});

describe('the lifecycle event of a status change', () => {
  const table: Record<string, string> = {
    'undefined active': 'lifecycle.joiner',
    'pending active': 'lifecycle.joiner',
    'inactive active': 'lifecycle.rejoiner',
    'deleted active': 'lifecycle.rejoiner',
    'active inactive': 'lifecycle.leaver',
    'suspended inactive': 'lifecycle.leaver',
    'active deleted': 'lifecycle.leaver',
    'suspended deleted': 'lifecycle.leaver',
    'active pending': 'lifecycle.leaver',
    'suspended pending': 'lifecycle.leaver',
  };
  const pairs = [undefined, ...personStatuses].flatMap((from) => personStatuses.map((to) => [from, to] as const));
  it.each(pairs.filter(([from, to]) => from !== to))('from %s to %s', (from, to) => {
    expect(lifecycleEvent(from, to)).toBe(table[`${from} ${to}`]);
  });

  it('from pending to active is a rejoiner for a person who was active before', () => {
    expect(lifecycleEvent('pending', 'active', true)).toBe('lifecycle.rejoiner');
  });
});
