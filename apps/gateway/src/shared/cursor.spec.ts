import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../http/api-error.js';
import { readCursor, readSequence, writeCursor, writeSequence } from './cursor.js';

const id = '01900000-0000-7000-8000-00000000000a';
const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('a cursor', () => {
  it('is decoded as it was encoded', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (createdAt) => {
        expect(readCursor(writeCursor({ createdAt, id }))).toEqual({ createdAt, id });
        expect(readSequence(writeSequence(createdAt))).toBe(createdAt);
      }),
    );
  });

  it.each([-1, 0, 100])('keeps the risk %s of its item', (risk) => {
    expect(readCursor(writeCursor({ createdAt: 5, id, risk }))).toEqual({ createdAt: 5, id, risk });
  });

  it('requests the first page if it is empty', () => {
    expect(readCursor('')).toBeUndefined();
    expect(readSequence('')).toBeUndefined();
  });

  it('needs no encoding in a URL', () => {
    const text = writeCursor({ createdAt: Date.now(), id });
    expect(encodeURIComponent(text)).toBe(text);
  });

  it.each([
    'nonsense',
    '%',
    encoded('5'),
    encoded(`5 ${id} more`),
    encoded(`5 ${id} r`),
    encoded(`5 ${id} r-2`),
    encoded(`5 ${id} r1e9`),
    encoded(`5 ${id} r7 1`),
    encoded(`-5 ${id}`),
    encoded(`5.5 ${id}`),
    encoded(`9999999999999999 ${id}`),
    encoded(` ${id}`),
    encoded('5 not-a-uuid'),
    encoded(`5 ${id.toUpperCase()}`),
    encoded(`5 ${id}' or true --`),
    encoded('5 \0'),
  ])('is rejected if it is %s', (text) => {
    expect(() => readCursor(text)).toThrow(ApiError);
    if (text !== encoded('5')) expect(() => readSequence(text)).toThrow(ApiError);
  });

  it('decodes to a position or a 400 for any input', () => {
    const outcome = (read: (text: string) => unknown, text: string) => {
      try {
        return typeof read(text);
      } catch (error) {
        return error instanceof ApiError ? error.status : error;
      }
    };
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string().map(encoded)), (text) => {
        expect(['undefined', 'object', 400]).toContain(outcome(readCursor, text));
        expect(['undefined', 'number', 400]).toContain(outcome(readSequence, text));
      }),
    );
  });
});
