import { expect, it } from '@jest/globals';
import { isLoopback } from './is-loopback.js';

it.each([
  ['localhost', true],
  ['console.localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['127.example.org', false],
  ['idsync.example.org', false],
  ['10.0.0.1', false],
])('%s is the own machine: %s', (hostname, isOwn) => {
  expect(isLoopback(hostname)).toBe(isOwn);
});
