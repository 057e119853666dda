import { type PersonStatus, personStatuses } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { graceMs, lifecycleEvent, nextDue, nextStatus } from './lifecycle.js';

const now = new Date('2026-06-01T00:00:00Z');
const past = new Date('2026-05-31T00:00:00Z');
const future = new Date('2026-06-02T00:00:00Z');
const longAgo = new Date(now.getTime() - graceMs);

const origins = [
  undefined,
  ...personStatuses.map((status) => ({ status, since: past })),
  { status: 'inactive' as const, since: longAgo },
];

describe('the status of a user', () => {
  it.each<[PersonStatus | undefined, Date | undefined, PersonStatus]>([
    [undefined, undefined, 'active'],
    [undefined, past, 'active'],
    [undefined, future, 'pending'],
    ['pending', undefined, 'pending'],
    ['pending', past, 'active'],
    ['pending', future, 'pending'],
    ['active', undefined, 'active'],
    ['active', past, 'active'],
    ['active', future, 'active'],
    ['suspended', undefined, 'suspended'],
    ['suspended', past, 'suspended'],
    ['suspended', future, 'suspended'],
    ['deleted', undefined, 'deleted'],
    ['deleted', past, 'deleted'],
    ['deleted', future, 'deleted'],
  ])('said to be %s, hired %s, is %s from wherever it comes', (said, hireDate, expected) => {
    for (const before of origins) expect(nextStatus(before, { said, hireDate }, now)).toBe(expected);
  });

  it.each<[(typeof origins)[number], PersonStatus]>([
    [undefined, 'inactive'],
    [{ status: 'pending', since: longAgo }, 'inactive'],
    [{ status: 'active', since: longAgo }, 'inactive'],
    [{ status: 'suspended', since: longAgo }, 'inactive'],
    [{ status: 'inactive', since: past }, 'inactive'],
    [{ status: 'inactive', since: longAgo }, 'deleted'],
    [{ status: 'deleted', since: past }, 'deleted'],
  ])('said to be inactive, from %j, is %s', (before, expected) => {
    expect(nextStatus(before, { said: 'inactive' }, now)).toBe(expected);
  });

  it('changes by time alone on the hire date and after the grace period, and then really changes', () => {
    const facts = { hireDate: future };
    const due = nextDue({ status: 'pending', since: past }, facts);
    expect(due).toEqual(future);
    expect(nextStatus({ status: 'pending', since: past }, facts, future)).toBe('active');
    const left = { status: 'inactive' as const, since: past };
    const end = nextDue(left, {});
    expect(end).toEqual(new Date(past.getTime() + graceMs));
    expect(nextStatus(left, { said: 'inactive' }, end ?? now)).toBe('deleted');
    for (const status of ['active', 'suspended', 'deleted'] as const) {
      expect(nextDue({ status, since: past }, { hireDate: future })).toBeUndefined();
    }
    expect(nextDue({ status: 'pending', since: past }, {})).toBeUndefined();
  });
});

describe('what a change of status means', () => {
  const table: Record<string, string> = {
    'undefined active': 'lifecycle.joiner',
    'pending active': 'lifecycle.joiner',
    'inactive active': 'lifecycle.rejoiner',
    'deleted active': 'lifecycle.rejoiner',
    'active inactive': 'lifecycle.leaver',
    'suspended inactive': 'lifecycle.leaver',
    'active deleted': 'lifecycle.leaver',
    'suspended deleted': 'lifecycle.leaver',
  };
  const pairs = [undefined, ...personStatuses].flatMap((from) => personStatuses.map((to) => [from, to] as const));
  it.each(pairs.filter(([from, to]) => from !== to))('from %s to %s', (from, to) => {
    expect(lifecycleEvent(from, to)).toBe(table[`${from} ${to}`]);
  });
});
