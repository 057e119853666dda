import { describe, expect, it } from '@jest/globals';
import { movedUp, rowsOf, withKeys } from './edit-rules.js';

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
