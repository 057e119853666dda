import { describe, expect, it } from '@jest/globals';
import { decodePending, encodePending, returnPath } from './pending-sign-in.js';

const keys = [Buffer.alloc(32, 1)] as const;
const pending = { state: 's', nonce: 'n', verifier: 'v', returnTo: '/console/', expiresAt: Date.now() + 60_000 };

describe('a sign-in that waits for the identity provider', () => {
  it('is encrypted, and read by every gateway with the key, also during a rotation', () => {
    const text = encodePending(pending, keys);
    expect(text).toMatch(/^[\w-]+$/);
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('verifier');
    expect(decodePending(text, keys)).toEqual(pending);
    expect(decodePending(text, [Buffer.alloc(32, 2), ...keys])).toEqual(pending);
  });

  it('is refused after its time, with another key, changed, or invented', () => {
    const text = encodePending(pending, keys);
    expect(decodePending(text, keys, pending.expiresAt)).toBeUndefined();
    expect(decodePending(text, [Buffer.alloc(32, 2)])).toBeUndefined();
    for (const wrong of ['', 'x', `${text.slice(0, -4)}AAAA`, text.slice(4)])
      expect(decodePending(wrong, keys)).toBeUndefined();
  });
});

describe('the page after a sign-in', () => {
  it.each(['/console/', '/console/jobs/job_1?status=open&q=a%20b', '/console/people/a@b', '/console/a/../b'])(
    'is the given one: %s',
    (path) => {
      expect(returnPath(path)).toBe(path);
    },
  );

  it.each([
    ...[undefined, ['/console/'], '', '/', '/admin/v1/tenants', 'https://evil.example', '//evil.example/console/'],
    ...[
      '/console',
      '/console\\evil',
      '/console/\n',
      '/console/<script>',
      '/console/#x',
      '/console/../admin/v1/session/oidc/end',
      '/console/%2e%2e/docs',
      '/console/x/../..//evil.example',
      `/console/${'x'.repeat(1_000)}`,
    ],
  ])('is the console for anything else: %j', (path) => {
    expect(returnPath(path)).toBe('/console/');
  });
});
