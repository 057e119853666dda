import { type FieldChange, jsonBytes, volumeLimits } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundChanges, diffFields } from './field-changes.js';

describe('the changes of a record', () => {
  it('are ordered by field, whatever the order in the source', () => {
    const changes = diffFields({ title: ['a'], phone: ['1'] }, { zip: ['3'], title: ['b'], email: ['x'] }, 'con_1');
    expect(changes).toEqual([
      { field: 'email', to: 'x', source: 'con_1' },
      { field: 'phone', from: '1', source: 'con_1' },
      { field: 'title', from: 'a', to: 'b', source: 'con_1' },
      { field: 'zip', to: '3', source: 'con_1' },
    ]);
  });

  it('contain a list if a field has several values, and not a list in another order', () => {
    const after = { groups: ['a', 'b'], roles: ['y', 'x'] };
    expect(diffFields({ groups: ['a'], roles: ['x', 'y'] }, after, 'con_1')).toEqual([
      { field: 'groups', from: 'a', to: ['a', 'b'], source: 'con_1' },
    ]);
  });
});

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
