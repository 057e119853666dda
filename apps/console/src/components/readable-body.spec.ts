import { expect, it } from '@jest/globals';
import { readableBody } from './readable-body.js';

it('indents JSON bodies and keeps others', () => {
  expect(readableBody('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(readableBody('<html>')).toBe('<html>');
});
