import { describe, expect, it } from '@jest/globals';
import { isTimeout, isUnavailable } from './sql-state.js';

const refusal = (code: string) => Object.assign(new Error('refused'), { severity: 'FATAL', code });
const failure = (code: string) => Object.assign(new Error('connect'), { code });

describe('isUnavailable', () => {
  it.each(['57P01', '57P02', '57P03', '53300', '53100', '08006', '25006', '40001', '40P01', '55P03'])(
    'is true for PostgreSQL state %s',
    (code) => {
      expect(isUnavailable(refusal(code))).toBe(true);
    },
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])(
    'is true for network error %s',
    (code) => {
      expect(isUnavailable(failure(code))).toBe(true);
    },
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('is true for the driver error: %s', (message) => {
    expect(isUnavailable(new Error(message))).toBe(true);
  });

  it('is false for any other error', () => {
    for (const code of ['23505', '42501', '42P01', '22P02', '28P01']) expect(isUnavailable(refusal(code))).toBe(false);
    for (const error of [new Error('no'), failure('ENOENT'), undefined, null, 'text', {}]) {
      expect(isUnavailable(error)).toBe(false);
    }
  });
});

describe('isTimeout', () => {
  it('is true for a timeout from PostgreSQL, and from the driver if PostgreSQL does not answer', () => {
    expect(isTimeout(refusal('57014'))).toBe(true);
    expect(isTimeout(new Error('Query read timeout'))).toBe(true);
    expect(isTimeout(refusal('57P01'))).toBe(false);
    expect(isTimeout(undefined)).toBe(false);
  });
});
