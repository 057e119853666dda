import { defaultMatchingRules, safeguard } from '@idsync/contracts';
import { planMarks } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord } from '../../test/stored-record.js';
import { boundsAdditions, destructiveActionOf, quarantineNote, quarantineReasons } from './guard.js';
import { countedChanges } from './plan-changes.js';

const usual = safeguard.parse({});
const plan = { known: 100, deletions: 0, disables: 0 };
const quarantineReason = (...run: Parameters<typeof quarantineReasons>) => quarantineNote(quarantineReasons(...run));
const sound = { recordsRead: 100, recordsFailed: 0, recordsRetried: 0 };
const change = (from: string | undefined, status: string) => ({
  record: storedRecord(1, { status }),
  before: from === undefined ? undefined : storedRecord(1, { status: from }),
});

describe('a change of status', () => {
  it.each([
    ['active', 'pending', 'disable'],
    ['active', 'suspended', 'disable'],
    ['active', 'inactive', 'disable'],
    ['active', 'disabled', 'disable'],
    ['pending', 'inactive', 'disable'],
    ['active', 'deleted', 'delete'],
    ['inactive', 'deleted', 'delete'],
    ['active', 'active', undefined],
    ['pending', 'active', undefined],
    ['pending', 'pending', undefined],
    ['inactive', 'pending', undefined],
    ['suspended', 'inactive', undefined],
    ['disabled', 'suspended', undefined],
    ['deleted', 'deleted', undefined],
    ['deleted', 'inactive', undefined],
    [undefined, 'inactive', undefined],
    [undefined, 'deleted', undefined],
  ])('from %s to %s counts as %s', (from, to, expected) => {
    expect(destructiveActionOf(change(from, to))).toBe(expected);
  });

  it.each([
    ['suspended', 'active', true],
    ['inactive', 'active', true],
    ['disabled', 'active', true],
    ['deleted', 'active', true],
    ['pending', 'active', false],
    ['active', 'active', false],
    ['inactive', 'pending', false],
    [undefined, 'active', false],
  ])('from %s to %s gives access again: %s', (from, to, expected) => {
    const counted = countedChanges(change(from, to), undefined, defaultMatchingRules);
    expect(counted.includes(planMarks.enabled)).toBe(expected);
  });
});

describe('the deletion safeguard', () => {
  /** The most that pass of companies of these sizes, as docs/directory.md has them. */
  it.each([
    [5, 5],
    [10, 5],
    [12, 5],
    [24, 6],
    [30, 7],
    [36, 9],
    [79, 19],
    [100, 20],
    [209, 20],
    [210, 21],
    [1_000, 100],
    [10_000, 1_000],
    [100_000, 10_000],
  ])('lets a source of %d people remove %d of them', (known, most) => {
    for (const rule of ['deletions', 'disables'] as const) {
      const removing = (count: number) => quarantineReason(usual, { ...plan, known, [rule]: count }, sound);
      expect(removing(most)).toBeUndefined();
      if (most < known) expect(removing(most + 1)).toMatch(/more than/);
    }
  });

  it('stops a run above both bounds and reports the numbers', () => {
    expect(quarantineReason(usual, { ...plan, deletions: 20 }, sound)).toBeUndefined();
    expect(quarantineReason(usual, { ...plan, deletions: 21 }, sound)).toBe(
      'quarantined: the run would delete 21 of 100 records, more than 10 % and more than 20',
    );
    expect(quarantineReason(usual, { known: 1_000, deletions: 100, disables: 100 }, sound)).toBeUndefined();
    expect(quarantineReason(usual, { known: 1_000, deletions: 101, disables: 200 }, sound)).toMatch(
      /delete 101 of 1000 .* and disable 200 of 1000/,
    );
  });

  it('counts earlier deletions and disables of the day if this run has any', () => {
    const recent = { deletions: 15, disables: 20, gone: 15 };
    expect(quarantineReason(usual, { ...plan, known: 85, deletions: 5 }, sound, recent)).toBeUndefined();
    expect(quarantineReason(usual, { ...plan, known: 85, deletions: 6 }, sound, recent)).toBe(
      'quarantined: the run would delete 6, after 15 within a day, of 100 records, more than 10 % and more than 20',
    );
    expect(quarantineReason(usual, { ...plan, known: 85, disables: 1 }, sound, recent)).toMatch(
      /disable 1, after 20 within/,
    );
    expect(
      quarantineReason(usual, { ...plan, known: 85 }, sound, { deletions: 50, disables: 50, gone: 50 }),
    ).toBeUndefined();
    const short = { ...usual, within_hours: 12 };
    expect(
      quarantineReason(short, { ...plan, known: 99, deletions: 20 }, sound, { deletions: 1, disables: 0, gone: 1 }),
    ).toMatch(/delete 20, after 1 within 12 hours, of 100 records/);
  });

  it('stops a run of an empty source, regardless of the number of deletions', () => {
    expect(quarantineReason(usual, { known: 3, deletions: 3, disables: 0 }, { ...sound, recordsRead: 0 })).toMatch(
      /delete all 3 .* empty/,
    );
    const nothingRead = { ...sound, recordsRead: 0 };
    const one = { known: 1, deletions: 1, disables: 0 };
    expect(quarantineReason(usual, one, nothingRead)).toMatch(/delete all 1 records because the source is empty/);
    expect(quarantineReason(usual, one, { ...nothingRead, retires: true })).toBeUndefined();
    expect(quarantineReason(usual, { known: 0, deletions: 0, disables: 0 }, nothingRead)).toBeUndefined();
  });

  it('stops a run of a small source that would delete or disable a quarter of it and more than five', () => {
    const most = { known: 24, deletions: 9, disables: 0 };
    expect(quarantineReason(usual, most, sound)).toBe(
      'quarantined: the run would delete 9 of 24 records, more than 25 % and more than 5',
    );
    expect(quarantineReason(usual, { known: 24, deletions: 0, disables: 15 }, sound)).toMatch(/disable 15 of 24/);
    expect(quarantineReason(usual, most, { ...sound, retires: true })).toBeUndefined();
    const recent = { deletions: 6, disables: 0, gone: 6 };
    expect(quarantineReason(usual, { ...most, known: 18, deletions: 1 }, sound, recent)).toMatch(/1, after 6 within/);
    const open = safeguard.parse({ max_deleted_percent: 100 });
    expect(quarantineReason(open, most, sound)).toBeUndefined();
    const wider = safeguard.parse({ max_deleted_percent: 37 });
    expect(quarantineReason(wider, { ...most, deletions: 8 }, sound)).toBeUndefined();
    expect(quarantineReason(wider, most, sound)).toMatch(/more than 37 % and more than 5/);
  });

  it('uses the bounds of the connector', () => {
    const strict = safeguard.parse({ max_deleted_percent: 0, max_deleted_records: 0 });
    expect(quarantineReason(strict, { ...plan, deletions: 1 }, sound)).toBeDefined();
    const open = safeguard.parse({ max_disabled_percent: 100 });
    expect(quarantineReason(open, { ...plan, disables: 100 }, sound)).toBeUndefined();
  });

  it('stops a run that left out more than half of its records and more than ten', () => {
    const reason = (recordsRead: number, recordsFailed: number, recordsRetried = 0) =>
      quarantineReason(usual, plan, { recordsRead, recordsFailed, recordsRetried });
    expect(reason(100, 50)).toBeUndefined();
    expect(reason(100, 51)).toBe('quarantined: 51 of 100 records were left out, more than 50 % and more than 10');
    expect(reason(10, 10)).toBeUndefined();
    expect(reason(11, 11)).toMatch(/^quarantined: 11 of 11 records/);
    expect(quarantineReason(usual, { ...plan, deletions: 21 }, { ...sound, recordsFailed: 60 })).toBe(
      'quarantined: 60 of 100 records were left out, more than 50 % and more than 10; and the run would delete 21 of 100 records, more than 10 % and more than 20',
    );
    expect(
      quarantineReason(safeguard.parse({ max_failed_percent: 100 }), plan, { ...sound, recordsFailed: 100 }),
    ).toBeUndefined();
  });

  it('does not count records that the run read only to retry them', () => {
    const reason = (recordsRead: number, recordsFailed: number, recordsRetried: number) =>
      quarantineReason(usual, plan, { recordsRead, recordsFailed, recordsRetried });
    expect(reason(100, 100, 100)).toBeUndefined();
    expect(reason(110, 110, 100)).toBeUndefined();
    expect(reason(111, 111, 100)).toMatch(/11 of 11/);
  });

  it('stops a run that changes a field of most records of a small source', () => {
    const reason = (known: number, count: number, guard = usual) =>
      quarantineReason(
        guard,
        { ...plan, known, additions: { created: 0, rekeyed: [], changed: [{ field: 'email', count, cleared: 0 }] } },
        sound,
      );
    expect(reason(15, 15)).toBe(
      'quarantined: the run would change email in 15 of 15 records, more than 50 % and more than 5',
    );
    expect(reason(15, 8)).toBeDefined();
    expect(reason(15, 7)).toBeUndefined();
    expect(reason(5, 5)).toBeUndefined();
    expect(reason(100, 51)).toMatch(/more than 20 % and more than 20$/);
    expect(reason(15, 12, safeguard.parse({ max_changed_percent: 80 }))).toBeUndefined();
    expect(reason(15, 15, safeguard.parse({ max_changed_percent: 100 }))).toBeUndefined();
  });

  it('stops a run that clears a field of a quarter of the records of a small source', () => {
    const reason = (known: number, cleared: number, count = cleared, guard = usual) =>
      quarantineReason(
        guard,
        { ...plan, known, additions: { created: 0, rekeyed: [], changed: [{ field: 'email', count, cleared }] } },
        sound,
      );
    expect(reason(60, 15)).toBeUndefined();
    expect(reason(60, 16)).toBe(
      'quarantined: the run would clear email in 16 of 60 records, more than 25 % and more than 5',
    );
    expect(reason(12, 5)).toBeUndefined();
    expect(reason(12, 5, 6)).toBeUndefined();
    expect(reason(60, 16, 40)).toMatch(/would change email in 40 of 60 records, [^;]*$/);
    expect(reason(60, 20, 20, safeguard.parse({ max_changed_percent: 40 }))).toBeUndefined();
    expect(reason(60, 60, 60, safeguard.parse({ max_changed_percent: 100 }))).toBeUndefined();
  });

  it('stops a run that enables a quarter of the records of a small source and more than five', () => {
    const reason = (known: number, enabled: number) => quarantineReason(usual, { ...plan, known, enabled }, sound);
    expect(reason(10, 5)).toBeUndefined();
    expect(reason(40, 10)).toBeUndefined();
    expect(reason(40, 11)).toBe('quarantined: the run would enable 11 of 40 records, more than 25 % and more than 5');
    const first = { ...plan, known: 0, gaining: 11 };
    expect(quarantineReason(usual, first, { ...sound, recordsRead: 40 })).toMatch(
      /enable 11 of 40 records \(11 decide/,
    );
  });

  it.each([
    ['enabled', { enabled: 20 }, { enabled: 21 }, 'enable 21 of 100 records, more than 10 % and more than 20'],
    [
      'created',
      { additions: { created: 20, changed: [], rekeyed: [] } },
      { additions: { created: 21, changed: [], rekeyed: [] } },
      'create 21 records beside 100, more than 20 % and more than 20',
    ],
    [
      'rekeyed',
      { additions: { created: 0, changed: [], rekeyed: [{ field: 'email' as const, count: 10 }] } },
      { additions: { created: 0, changed: [], rekeyed: [{ field: 'email' as const, count: 11 }] } },
      'replace 11 of 100 records by new ids with the same email, more than 10 % and more than 5',
    ],
    ['reused', { reused: 0 }, { reused: 1 }, 'list other people under 1 of 100 ids'],
  ])('stops a run above the bounds for %s records, of a source with records', (rule, within, above, text) => {
    expect(quarantineReason(usual, { ...plan, ...within }, sound)).toBeUndefined();
    expect(quarantineReason(usual, { ...plan, ...above }, sound)).toBe(`quarantined: the run would ${text}`);
    expect(quarantineReason(usual, { ...plan, known: 0, ...above }, sound)).toBeUndefined();
    const open = safeguard.parse({ [`max_${rule}_percent`]: 100 });
    expect(quarantineReason(open, { ...plan, ...above }, sound)).toBeUndefined();
  });

  it('has no bound for new records with 100 percent, but with 99', () => {
    const twice = { ...plan, additions: { created: 200, changed: [], rekeyed: [] } };
    expect(quarantineReason(safeguard.parse({ max_created_percent: 100 }), twice, sound)).toBeUndefined();
    expect(quarantineReason(safeguard.parse({ max_created_percent: 99 }), twice, sound)).toBeDefined();
  });

  it('creates up to twenty records beside a few', () => {
    const more = (known: number) => ({ ...plan, known, additions: { created: 20, changed: [], rekeyed: [] } });
    expect(quarantineReason(usual, more(1), sound)).toBeUndefined();
    expect(quarantineReason({ ...usual, max_created_records: 19 }, more(1), sound)).toMatch(
      /create 20 records beside 1/,
    );
  });

  it('names the bounds of a rule without a number, and those for reused ids if there are any', () => {
    const strict = safeguard.parse({ max_enabled_percent: 0, max_enabled_records: 0 });
    expect(quarantineReason(strict, { ...plan, enabled: 1 }, sound)).toMatch(/records, more than 0 % and more than 0$/);
    const lenient = safeguard.parse({ max_reused_records: 2 });
    expect(quarantineReason(lenient, { ...plan, reused: 2 }, sound)).toBeUndefined();
    expect(quarantineReason(lenient, { ...plan, reused: 3 }, sound)).toMatch(/100 ids, more than 0 % and more than 2$/);
  });

  it('counts no additions if a plan has none', () => {
    const strict = safeguard.parse({
      max_enabled_percent: 0,
      max_enabled_records: 0,
      max_created_percent: 0,
      max_created_records: 0,
    });
    expect(quarantineReason(strict, plan, sound)).toBeUndefined();
  });

  it('reports new ids instead of the deletions that they explain', () => {
    const rules = (known: number, disables: number, rekeyed: number) => {
      const additions = { created: 0, changed: [], rekeyed: [{ field: 'email' as const, count: rekeyed }] };
      return quarantineReasons(usual, { known, deletions: known, disables, additions }, sound).map(({ rule }) => rule);
    };
    expect(rules(18, 0, 18)).toEqual(['rekeyed']);
    expect(rules(18, 18, 18)).toEqual(['disabled', 'rekeyed']);
    expect(rules(18, 0, 5)).toEqual(['deleted']);
    expect(rules(21, 0, 21)).toEqual(['rekeyed']);
    expect(rules(21, 0, 20)).toEqual(['deleted', 'rekeyed']);
  });
});

describe('new people and changes', () => {
  it('wait with returns to active, reused ids, and too many of themselves, but not with deletions, disables or failures', () => {
    const all = ['failed', 'deleted', 'disabled', 'empty_source', 'enabled', 'reused', 'created', 'changed', 'rekeyed'];
    const waiting = all.filter((rule) => boundsAdditions({ rule }));
    expect(waiting).toEqual(['enabled', 'reused', 'created', 'changed', 'rekeyed']);
  });
});
