import { describe, expect, it } from '@jest/globals';
import { isRead, isSameOrigin, ownOrigin } from './same-origin.js';

const request = (headers: Record<string, string>, host = 'idsync.example') => ({
  headers,
  host,
  protocol: 'http' as const,
});

describe('a request', () => {
  it.each([
    ['from a page of the gateway', { 'sec-fetch-site': 'same-origin' }, true],
    ['from a page of a sibling domain', { 'sec-fetch-site': 'same-site' }, false],
    ['from a page elsewhere', { 'sec-fetch-site': 'cross-site' }, false],
    ['that no page sent', { 'sec-fetch-site': 'none' }, false],
    ['of a browser that sends the origin only', { origin: 'http://idsync.example' }, true],
    ['behind a proxy that ends TLS', { origin: 'https://idsync.example' }, true],
    ['from another origin', { origin: 'https://evil.example' }, false],
    ['from another port', { origin: 'http://idsync.example:8080' }, false],
    ['from a sandboxed page', { origin: 'null' }, false],
    ['of a program', {}, true],
    [
      'through a development server, which changes the host',
      { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' },
      true,
    ],
  ])('%s is of the same origin or not: %j %s', (_, headers, expected) => {
    expect(isSameOrigin(request(headers), undefined)).toBe(expected);
  });

  it('is compared with the public address if it is set', () => {
    const inside = request({ origin: 'https://idsync.example' }, 'gateway:3000');
    expect(isSameOrigin(inside, 'https://idsync.example')).toBe(true);
    expect(isSameOrigin(inside, 'https://other.example')).toBe(false);
    expect(isSameOrigin(inside)).toBe(false);
    expect(ownOrigin(inside)).toBe('http://gateway:3000');
  });

  it('from a sandboxed page is of another origin, whatever host it names', () => {
    expect(isSameOrigin(request({ origin: 'null' }, 'a host'))).toBe(false);
  });

  it('reads with GET and HEAD only', () => {
    expect(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'].filter((method) => isRead({ method }))).toEqual([
      'GET',
      'HEAD',
    ]);
  });
});
