import { safeguard } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { allowance, whyHeld } from './guard.js';

const usual = safeguard.parse({});
const plan = { known: 100, deletions: 0, disables: 0 };

describe('the safeguard', () => {
  it('lets through ten percent or twenty records, whichever is more', () => {
    expect(allowance(usual, 100, 'delete')).toBe(20);
    expect(allowance(usual, 5_000, 'delete')).toBe(500);
    expect(allowance(usual, 209, 'disable')).toBe(20);
    expect(allowance(usual, 210, 'disable')).toBe(21);
  });

  it('holds what is more than both, and says how much it is', () => {
    expect(whyHeld(usual, { ...plan, deletions: 20 }, false)).toBeUndefined();
    expect(whyHeld(usual, { ...plan, deletions: 21 }, false)).toBe(
      'held back: it would delete 21 of 100 records, more than 10 % and more than 20',
    );
    expect(whyHeld(usual, { known: 1_000, deletions: 100, disables: 100 }, false)).toBeUndefined();
    expect(whyHeld(usual, { known: 1_000, deletions: 101, disables: 200 }, false)).toMatch(
      /delete 101 of 1000 .* and disable 200 of 1000/,
    );
  });

  it('counts what earlier runs of a day took, if this one takes anything', () => {
    const recent = { deletions: 15, disables: 20 };
    expect(whyHeld(usual, { ...plan, known: 85, deletions: 5 }, false, recent)).toBeUndefined();
    expect(whyHeld(usual, { ...plan, known: 85, deletions: 6 }, false, recent)).toBe(
      'held back: it would delete 6, after 15 within a day, of 100 records, more than 10 % and more than 20',
    );
    expect(whyHeld(usual, { ...plan, known: 85, disables: 1 }, false, recent)).toMatch(/disable 1, after 20 within/);
    expect(whyHeld(usual, { ...plan, known: 85 }, false, { deletions: 50, disables: 50 })).toBeUndefined();
  });

  it('holds an empty source, however few it would delete', () => {
    expect(whyHeld(usual, { known: 3, deletions: 3, disables: 0 }, true)).toMatch(/delete all 3 .* empty/);
    expect(whyHeld(usual, { known: 0, deletions: 0, disables: 0 }, true)).toBeUndefined();
  });

  it('is as strict or as open as its connector wants it', () => {
    const strict = safeguard.parse({ max_deleted_percent: 0, max_deleted_records: 0 });
    expect(whyHeld(strict, { ...plan, deletions: 1 }, false)).toBeDefined();
    const open = safeguard.parse({ max_disabled_percent: 100 });
    expect(whyHeld(open, { ...plan, disables: 100 }, false)).toBeUndefined();
  });
});
