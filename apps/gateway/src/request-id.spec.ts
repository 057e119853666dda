import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.js';

describe("a caller's id of a request", () => {
  it.each(['a', '4bf92f35-77b3.4da6:a3ce/9_29', 'x'.repeat(128)])('is kept where it is sane: %s', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['of two lines', 'a\r\nb'],
    ['with a quote', 'a"b'],
    ['with what a terminal obeys', '\u001b[31m'],
  ])('is replaced where it is %s', (_what, id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(/^[0-9a-f-]{36}$/);
  });
});
