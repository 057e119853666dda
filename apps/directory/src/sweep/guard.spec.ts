import { safeguard } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { allowance, quarantineNote, quarantineReasons } from './guard.js';

const usual = safeguard.parse({});
const plan = { known: 100, deletions: 0, disables: 0 };
const quarantineReason = (...run: Parameters<typeof quarantineReasons>) => quarantineNote(quarantineReasons(...run));
const sound = { recordsRead: 100, recordsFailed: 0, recordsRetried: 0 };

describe('the deletion safeguard', () => {
  it('allows ten percent or twenty records, whichever is more', () => {
    expect(allowance(usual, 100, 'delete')).toBe(20);
    expect(allowance(usual, 5_000, 'delete')).toBe(500);
    expect(allowance(usual, 209, 'disable')).toBe(20);
    expect(allowance(usual, 210, 'disable')).toBe(21);
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
    const recent = { deletions: 15, disables: 20 };
    expect(quarantineReason(usual, { ...plan, known: 85, deletions: 5 }, sound, recent)).toBeUndefined();
    expect(quarantineReason(usual, { ...plan, known: 85, deletions: 6 }, sound, recent)).toBe(
      'quarantined: the run would delete 6, after 15 within a day, of 100 records, more than 10 % and more than 20',
    );
    expect(quarantineReason(usual, { ...plan, known: 85, disables: 1 }, sound, recent)).toMatch(
      /disable 1, after 20 within/,
    );
    expect(quarantineReason(usual, { ...plan, known: 85 }, sound, { deletions: 50, disables: 50 })).toBeUndefined();
  });

  it('stops a run of an empty source, regardless of the number of deletions', () => {
    expect(quarantineReason(usual, { known: 3, deletions: 3, disables: 0 }, { ...sound, recordsRead: 0 })).toMatch(
      /delete all 3 .* empty/,
    );
    expect(
      quarantineReason(usual, { known: 0, deletions: 0, disables: 0 }, { ...sound, recordsRead: 0 }),
    ).toBeUndefined();
  });

  it('stops a run that would delete or disable everyone, of more than five', () => {
    const everyone = { known: 18, deletions: 18, disables: 0 };
    expect(quarantineReason(usual, everyone, sound)).toBe('quarantined: the run would delete all 18 records');
    expect(quarantineReason(usual, { known: 18, deletions: 0, disables: 18 }, sound)).toMatch(/disable all 18 records/);
    expect(quarantineReason(usual, { ...everyone, deletions: 17 }, sound)).toBeUndefined();
    expect(quarantineReason(usual, { known: 5, deletions: 5, disables: 5 }, sound)).toBeUndefined();
    expect(quarantineReason(usual, everyone, { ...sound, retires: true })).toBeUndefined();
    const open = safeguard.parse({ max_deleted_percent: 100 });
    expect(quarantineReason(open, everyone, sound)).toBeUndefined();
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
        { ...plan, known, additions: { created: 0, rekeyed: [], changed: [{ field: 'email', count }] } },
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
});
