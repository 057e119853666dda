import { describe, expect, it } from '@jest/globals';
import { eventExample } from './event-catalogue/event-catalogue.js';
import { eventTypes } from './fixed-values.js';
import { thinBody } from './thin-body.js';
import { matchesFilter, type WebhookFilter, webhookFilter } from './webhook-filter.js';
import { webhookHeaders } from './webhook-headers.js';

describe('a thin body', () => {
  it.each(eventTypes)('of %s has the envelope and only public ids', (type) => {
    const example = eventExample(type);
    const { data, ...envelope } = JSON.parse(thinBody(JSON.stringify(example)));
    const { data: full, ...rest } = example as { data: Record<string, unknown> };
    expect(envelope).toEqual(rest);
    expect(Object.values(data).length).toBeGreaterThan(0);
    for (const [name, value] of Object.entries(data)) {
      expect(value).toMatch(/^[a-z]{3}_[0-9a-z]{26}$/);
      expect(full?.[name]).toBe(value);
    }
  });

  it('leaves out ids of sources', () => {
    expect(thinBody('{"id":"evt_1","data":{"id":"usr_1","external_id":"ann@x.org","email":"ann@x.org"}}')).toBe(
      '{"id":"evt_1","data":{"id":"usr_1"}}',
    );
  });
});

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

describe('the additional headers of a webhook', () => {
  it('are stored with names in lower case', () => {
    expect(webhookHeaders.parse({ Authorization: 'Bearer x', 'X-Team': 'a b' })).toEqual({
      authorization: 'Bearer x',
      'x-team': 'a b',
    });
    expect(webhookHeaders.parse({})).toEqual({});
  });

  it.each<[string, unknown]>([
    ...[
      'Host',
      'connection',
      'Keep-Alive',
      'te',
      'trailer',
      'Transfer-Encoding',
      'upgrade',
      'expect',
      'content-length',
      'Content-Type',
      'content-encoding',
      'user-agent',
      'traceparent',
      'tracestate',
      'proxy-authorization',
      'Webhook-Signature',
      'webhook-id',
      'webhook-anything',
    ].map((name): [string, unknown] => [name, { [name]: 'x' }]),
    ['an empty name', { '': 'x' }],
    ['a name with a colon', { 'x:y': 'x' }],
    ['a long name', { ['x'.repeat(65)]: 'x' }],
    ['the same name twice', { 'X-Team': 'a', 'x-team': 'b' }],
    ['a line break in a value', { 'x-team': 'a\r\nwebhook-id: evt_1' }],
    ['a control character in a value', { 'x-team': 'a\u0000' }],
    ['characters beyond ASCII', { 'x-team': 'é' }],
    ['a space around the value', { 'x-team': ' a' }],
    ['an empty value', { 'x-team': '' }],
    ['a long value', { 'x-team': 'x'.repeat(1_025) }],
    ['a number', { 'x-team': 1 }],
    ['more than 20', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v']))],
    ['more than 4 KiB', Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`x-${index}`, 'v'.repeat(1_000)]))],
    ['a list', ['x-team: a']],
  ])('are refused with %s', (_case, headers) => {
    expect(webhookHeaders.safeParse(headers).success).toBe(false);
  });
});
