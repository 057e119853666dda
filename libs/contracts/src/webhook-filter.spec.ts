import { describe, expect, it } from '@jest/globals';
import { matchesFilter, type WebhookFilter, webhookFilter } from './webhook-filter.js';

const event = {
  type: 'user.updated',
  data: {
    status: 'active',
    risk_score: 20,
    erased: true,
    departments: ['Research', 'Sales'],
    attributes: [
      { field_name: 'email', field_value: 'ann@example.com' },
      { field_name: 'site', field_value: 'B' },
    ],
  },
};

describe('a filter of a webhook', () => {
  it.each<[boolean, WebhookFilter]>([
    [true, { field: 'type', equals: 'user.updated' }],
    [true, { field: 'data.status', equals: 'active' }],
    [false, { field: 'data.status', equals: 'Active' }],
    [true, { field: 'data.risk_score', equals: 20 }],
    [false, { field: 'data.risk_score', equals: '20' }],
    [true, { field: 'data.erased', equals: true }],
    [true, { field: 'data.departments', equals: 'Sales' }],
    [true, { field: 'data.attributes.field_value', prefix: 'ann@' }],
    [false, { field: 'data.risk_score', prefix: '2' }],
    [false, { field: 'data.email', equals: '' }],
    [false, { field: 'data.constructor.name', prefix: 'O' }],
    [false, { field: 'data.__proto__', equals: '' }],
    [false, { field: 'data.departments.length', equals: 2 }],
    [
      true,
      {
        and: [
          { field: 'type', prefix: 'user.' },
          {
            or: [
              { field: 'data.status', equals: 'x' },
              { field: 'data.erased', equals: true },
            ],
          },
        ],
      },
    ],
    [
      false,
      {
        and: [
          { field: 'type', prefix: 'user.' },
          { field: 'data.status', equals: 'x' },
        ],
      },
    ],
    [true, { or: [{ field: 'data.status', equals: 'x' }, { and: [{ field: 'type', prefix: 'user.' }] }] }],
    [false, { or: [{ field: 'data.status', equals: 'x' }, { and: [{ field: 'type', prefix: 'account.' }] }] }],
  ])('gives %s for %j', (expected, filter) => {
    expect(webhookFilter.parse(filter)).toEqual(filter);
    expect(matchesFilter(filter, event)).toBe(expected);
  });

  const one = { field: 'data.status', equals: 'active' };
  it.each<[string, unknown]>([
    ['another field of the envelope', { field: 'tenant_id', equals: 'x' }],
    ['a path with an empty name', { field: 'data..status', equals: 'x' }],
    ['more than five names', { field: 'data.a.b.c.d.e.f', equals: 'x' }],
    ['no operator', { field: 'data.status' }],
    ['two operators', { ...one, prefix: 'a' }],
    ['an unknown operator', { field: 'data.status', matches: '.*' }],
    ['an empty prefix', { field: 'data.status', prefix: '' }],
    ['null', { field: 'data.status', equals: null }],
    ['a long value', { field: 'data.status', equals: 'x'.repeat(513) }],
    ['an empty list', { and: [] }],
    ['both kinds of lists', { and: [one], or: [one] }],
    ['three levels', { and: [{ or: [{ and: [one] }] }] }],
    ['a list of the same kind', { and: [{ and: [one] }] }],
    ['more than 20 conditions in a list', { or: Array.from({ length: 21 }, () => one) }],
    ['a text', 'data.status = active'],
  ])('is refused with %s', (_case, filter) => {
    expect(webhookFilter.safeParse(filter).success).toBe(false);
  });
});
