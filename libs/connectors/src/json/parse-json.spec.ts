import { describe, expect, it, jest } from '@jest/globals';
import { NotJson, parseJsonText } from './parse-json.js';

describe('parsing JSON of a source', () => {
  it('preserves integers beyond the safe range as text and leaves strings unchanged', () => {
    expect(parseJsonText('{"id":12345678901234567890,"n":1e3,"t":"a \\" 12345678901234567890"}')).toEqual({
      id: '12345678901234567890',
      n: 1_000,
      t: 'a " 12345678901234567890',
    });
  });

  it('rejects an unterminated string after one scan', () => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const text = `[1, "${'\\"'.repeat(1_000)}12345678901234567890`;
      expect(() => parseJsonText(text)).toThrow(NotJson);
      // A second scan, from a quote within the string, would find the number and change it.
      expect(parse.mock.calls[0]).toEqual([text]);
    } finally {
      parse.mockRestore();
    }
  });
});
