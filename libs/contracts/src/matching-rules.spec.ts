import { describe, expect, it } from '@jest/globals';
import { defaultMatchingRules, matchingRules } from './matching-rules.js';

const parse = (parts: object) => matchingRules.safeParse({ ...defaultMatchingRules, ...parts });
const problems = (parts: object) =>
  parse(parts).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
const badge = { field: 'attributes.badge', normaliser: 'digits', strength: 'permanent' };

describe('matching rules', () => {
  it('have default settings of keys and no stop values unless they are given', () => {
    const { certain, weak } = defaultMatchingRules;
    expect(matchingRules.parse({ certain, weak })).toEqual(defaultMatchingRules);
  });

  it('accept an attribute as a match key at any rank, with its normaliser and strength', () => {
    const certain = ['employee_number', 'attributes.badge', 'email'];
    expect(parse({ certain, keys: [badge] }).data).toMatchObject({ certain, keys: [badge] });
    expect(parse({ certain, keys: [{ field: 'attributes.badge' }] }).data?.keys).toEqual([
      { field: 'attributes.badge', normaliser: 'case' },
    ]);
  });

  it.each([
    [{ certain: ['attributes.badge'] }, 'certain.0 must have an entry in keys: attributes.badge'],
    [{ keys: [badge] }, 'keys.0.field must be in certain: attributes.badge'],
    [{ certain: ['attributes.badge'], keys: [badge, badge] }, 'keys.1.field has settings twice: attributes.badge'],
    [{ certain: ['phone'] }, 'certain.0 must be employee_number, email, user_principal_name or attributes.<name>'],
    [{ certain: ['email', 'email'] }, 'certain must not name a key twice'],
    [{ keys: [{ field: 'email', strength: 'permanent' }] }, 'keys.0.strength is a setting of attributes only'],
    [{ keys: [{ field: 'email', normaliser: 'digits' }] }, 'keys.0.normaliser must be any of case, email'],
    [
      { keys: [{ field: 'employee_number', normaliser: 'soundex' }] },
      'keys.0.normaliser must be any of exact, case, digits, alphanumeric, number_without_zeros, email, phone',
    ],
  ])('refuse %j', (parts, problem) => {
    expect(problems(parts)).toEqual([problem]);
  });

  it('bound the stop values that a tenant can list', () => {
    const listed = (values: string[]) => ({ stop_values: [{ field: 'email', values }] });
    expect(problems(listed(['team', '@x.org']))).toEqual([]);
    expect(problems(listed([]))).toHaveLength(1);
    expect(problems(listed([' ']))).toHaveLength(1);
    expect(problems(listed(['a'.repeat(513)]))).toHaveLength(1);
    expect(problems(listed(Array.from({ length: 1_001 }, (_, at) => `m${at}`)))).toHaveLength(1);
  });
});
