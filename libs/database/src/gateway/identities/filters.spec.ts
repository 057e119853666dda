import { describe, expect, it } from '@jest/globals';
import { conditionsOf } from './filters.js';

describe('the conditions of a list', () => {
  it.each([
    ['identity', [{ name: 'any', sql: `status <> 'deleted'` }]],
    [
      'account',
      [
        { name: 'account', sql: `kind = 'account'` },
        { name: 'any', sql: `status <> 'deleted'` },
      ],
    ],
    [
      'machine_identity',
      [
        { name: 'machine_identity', sql: `kind = 'machine_identity'` },
        { name: 'any', sql: `status <> 'decommissioned'` },
      ],
    ],
  ] as const)('leave out what is deleted, unless a status is requested: %s', (resource, expected) => {
    expect(conditionsOf(resource, {}, String)).toEqual(expected);
    const requested = conditionsOf(resource, { status: 'active' }, (item) => `'${item}'`);
    expect(requested.at(-1)).toEqual({ name: 'status', sql: `status = 'active'` });
  });
});
