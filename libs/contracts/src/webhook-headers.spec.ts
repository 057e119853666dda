import { describe, expect, it } from '@jest/globals';
import { webhookHeaders } from './webhook-headers.js';

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
