import { describe, expect, it } from '@jest/globals';
import { decodeHint, encodeHint } from './logout-hint.js';

const keys = [Buffer.alloc(32, 1)] as const;
const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJldmEifQ.c2lnbmF0dXJl';

describe('the ID token in the browser', () => {
  it('is encrypted, and read by every gateway with the key, also during a rotation', () => {
    const text = encodeHint(token, keys) ?? '';
    expect(text).toMatch(/^[\w-]+$/);
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('eyJ');
    expect(decodeHint(text, keys)).toBe(token);
    expect(decodeHint(text, [Buffer.alloc(32, 2), ...keys])).toBe(token);
  });

  it('is ignored if it is absent, changed, or encrypted with another key', () => {
    const text = encodeHint(token, keys) ?? '';
    expect(decodeHint(text, [Buffer.alloc(32, 2)])).toBeUndefined();
    for (const wrong of [undefined, '', 'x', `${text.slice(0, -4)}AAAA`])
      expect(decodeHint(wrong, keys)).toBeUndefined();
  });

  it('is left out if a cookie cannot hold it', () => {
    expect(encodeHint('x'.repeat(2_700), keys)).toBeDefined();
    expect(encodeHint('x'.repeat(3_000), keys)).toBeUndefined();
  });
});
