import { describe, expect, it } from '@jest/globals';
import { bounded, masked } from './mask-secrets.js';

describe('a state in the audit log', () => {
  it('has the names of secrets, but no value of one at any depth', () => {
    const given = {
      name: 'HR',
      secrets: { password: 'p', nested: { any: 'q' } },
      config: { auth: [{ client_secret: 's', user: 'u' }], apiKey: 'k', tokens: ['t'] },
      signing_secret: null,
      keys: ['employee_number'],
    };
    expect(masked(given)).toEqual({
      name: 'HR',
      secrets: { password: '[masked]', nested: { any: '[masked]' } },
      config: { auth: [{ client_secret: '[masked]', user: 'u' }], apiKey: '[masked]', tokens: ['[masked]'] },
      signing_secret: null,
      keys: ['employee_number'],
    });
  });

  it('beyond 16 KiB is replaced by its size and hash', () => {
    const large = { text: 'ü'.repeat(9_000) };
    expect(bounded({ text: 'x'.repeat(16_000) })).toEqual({ text: 'x'.repeat(16_000) });
    const longest = { text: 'x'.repeat(16_384 - '{"text":""}'.length) };
    expect(bounded(longest)).toBe(longest);
    expect(bounded(large)).toEqual({ omitted: true, bytes: 18_011, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(bounded(undefined)).toBeUndefined();
  });
});
