import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { open, seal, sealMark } from './secret-box.js';

const key = randomBytes(32);
const secret = 'whsec_dGhlIHNlY3JldA==';

describe('a sealed secret', () => {
  it('opens with its key and context, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, context) => {
        expect(open(seal(text, key, context), [key], context)).toBe(text);
      }),
    );
  });

  it('does not show what is in it, and looks different each time', () => {
    const sealed = seal(secret, key, 'tenant');
    expect(sealed.toString('latin1')).not.toContain(secret);
    expect(seal(secret, key, 'tenant').equals(sealed)).toBe(false);
  });

  it('does not open for another tenant', () => {
    expect(() => open(seal(secret, key, 'tenant'), [key], 'another tenant')).toThrow();
    expect(() => open(seal(secret, key, 'tenant'), [key], '')).toThrow();
  });

  it('opens during a change of keys with the one that sealed it, wherever that stands', () => {
    const next = randomBytes(32);
    expect(open(seal(secret, key, 'tenant'), [next, key], 'tenant')).toBe(secret);
    expect(open(seal(secret, next, 'tenant'), [next, key], 'tenant')).toBe(secret);
    expect(() => open(seal(secret, key, 'tenant'), [next], 'tenant')).toThrow('sealed with another key');
    expect(() => open(seal(secret, key, 'tenant'), [], 'tenant')).toThrow('sealed with another key');
  });

  it('begins with the mark of its key, which another key does not have', () => {
    const sealed = seal(secret, key, 'tenant');
    expect(sealed.subarray(0, sealMark(key).length)).toEqual(sealMark(key));
    expect(sealMark(randomBytes(32))).not.toEqual(sealMark(key));
  });

  it('does not open if any of its bytes was changed', () => {
    const sealed = seal(secret, key, 'tenant');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => open(changed, [key], 'tenant')).toThrow();
    }
  });

  it('does not open if it was cut, or is empty', () => {
    const sealed = seal(secret, key, 'tenant');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => open(sealed.subarray(0, length), [key], 'tenant')).toThrow();
    }
  });
});
