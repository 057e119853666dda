import { describe, expect, it } from '@jest/globals';
import { parseUrl } from './parse-url.js';

describe('the URL of a text', () => {
  it.each([
    ['HTTPS://Example.COM', undefined, 'https://example.com/'],
    ['/next?page=2', new URL('https://example.com/users'), 'https://example.com/next?page=2'],
    ['https://b\u00fccher.example/', undefined, 'https://xn--bcher-kva.example/'],
  ])('is normalized: %j with the base %s', (text, base, expected) => {
    expect(parseUrl(text, base)?.href).toBe(expected);
  });

  it.each(['', 'example.com', 'https://', 'http://[::1'])('is undefined for %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });

  it('with letters beyond ASCII is the same the first time and the hundred-thousandth', () => {
    const refused = Array.from({ length: 100_000 }, () => parseUrl('https://b\u00fccher.example/')).filter(
      (url) => url === undefined,
    );
    expect(refused).toEqual([]);
  });
});
