import { type FieldChange, jsonBytes, volumeLimits } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundChanges } from './field-changes.js';

describe('boundChanges', () => {
  it('returns small changes as they are', () => {
    const changes: FieldChange[] = [{ field: 'email', from: 'a@x.org', to: 'b@x.org' }];
    expect(boundChanges(changes)).toEqual({ changes });
  });

  it('keeps all field names and omits values beyond the size limit', () => {
    const list = fc.array(fc.record({ from: fc.array(fc.string()), to: fc.string({ maxLength: 400 }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(list, fc.nat(3_000), (values, most) => {
        const changes = values.map((value, nth) => ({ field: `f${nth}`, ...value }));
        const bounded = boundChanges(changes, most);
        expect(bounded.changes.map(({ field }) => field)).toEqual(changes.map(({ field }) => field));
        const kept = bounded.changes.filter((change) => change.to !== undefined);
        expect(kept.reduce((sum, { from, to }) => sum + jsonBytes([from, to]), 0)).toBeLessThanOrEqual(most);
        expect(bounded.values_left_out === true).toBe(kept.length < changes.length);
      }),
    );
  });

  it('counts control characters, which take six bytes each', () => {
    const changes: FieldChange[] = [{ field: 'title', to: '\u0001'.repeat(100) }];
    const bytes = jsonBytes(changes[0]?.to);
    expect(boundChanges(changes, bytes - 1)).toEqual({ changes: [{ field: 'title' }], values_left_out: true });
  });

  it('names the changed field of the largest allowed record without its values', () => {
    const to = Array.from({ length: 16 }, () => 'x'.repeat(16_000));
    const bounded = boundChanges([
      { field: 'roles', to },
      { field: 'status', to: 'active' },
    ]);
    expect(bounded).toEqual({
      changes: [{ field: 'roles' }, { field: 'status', to: 'active' }],
      values_left_out: true,
    });
    expect(jsonBytes(bounded)).toBeLessThan(volumeLimits.changeBytes);
  });
});
