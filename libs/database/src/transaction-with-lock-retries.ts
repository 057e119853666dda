// SQL by hand: a setting of the transaction.
import { setTimeout as pause } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { deadlockDetected, lockNotAvailable, sqlState } from './sql-state.js';

/** Limits how long other sessions queue behind a statement that waits for a table lock. */
const lockWaitMs = 1_000;
/** Pause between attempts, in which waiting sessions continue. */
const betweenTriesMs = 500;
const tries = 60;

/** Reports progress of a migration, line by line. */
export type ReportProgress = (line: string) => void;

/** Runs `work` in a transaction that waits at most one second for each lock, with up to sixty attempts. */
export async function transactionWithLockRetries(
  runner: QueryRunner,
  what: string,
  report: ReportProgress,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runner.startTransaction();
      await runner.query(`set local lock_timeout = ${lockWaitMs}`);
      await work();
      return await runner.commitTransaction();
    } catch (error) {
      // A lost connection needs no rollback.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      const inUse = [lockNotAvailable, deadlockDetected].includes(sqlState(error) ?? '');
      if (!inUse || attempt === tries) throw error;
      report(`${what}: ${(error as Error).message}; trying again (${attempt} of ${tries})`);
      await pause(betweenTriesMs);
    }
  }
}
