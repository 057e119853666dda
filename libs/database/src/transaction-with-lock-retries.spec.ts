import { describe, expect, it } from '@jest/globals';
import { QueryFailedError, type QueryRunner } from 'typeorm';
import { transactionWithLockRetries } from './transaction-with-lock-retries.js';

/** A runner that records its calls. */
function recorded() {
  const calls: string[] = [];
  const runner = {
    isTransactionActive: true,
    startTransaction: async () => void calls.push('begin'),
    query: async (text: string) => void calls.push(text),
    commitTransaction: async () => void calls.push('commit'),
    rollbackTransaction: async () => void calls.push('rollback'),
  };
  return { calls, runner: runner as Partial<QueryRunner> as QueryRunner };
}

const failed = (code: string) =>
  new QueryFailedError('lock table', [], Object.assign(new Error(code), { code, severity: 'ERROR' }));

describe('a migration', () => {
  it.each(['55P03', '40P01'])('is tried again after the error %s, with a limit for each lock', async (code) => {
    const { calls, runner } = recorded();
    const [lines, errors]: [string[], Error[]] = [[], [failed(code)]];
    await transactionWithLockRetries(
      runner,
      'AddColumn',
      (line) => lines.push(line),
      async () => {
        const error = errors.pop();
        if (error) throw error;
      },
    );
    const timeout = 'set local lock_timeout = 1000';
    expect(calls).toEqual(['begin', timeout, 'rollback', 'begin', timeout, 'commit']);
    expect(lines).toEqual([`AddColumn: ${code}; trying again (1 of 60)`]);
  });

  it('fails at once after another error', async () => {
    const { calls, runner } = recorded();
    const work = () => Promise.reject(failed('42601'));
    await expect(transactionWithLockRetries(runner, 'AddColumn', () => undefined, work)).rejects.toThrow('42601');
    expect(calls.slice(2)).toEqual(['rollback']);
  });
});
