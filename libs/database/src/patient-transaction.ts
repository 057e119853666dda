import { setTimeout as pause } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { deadlockDetected, lockNotAvailable, sqlState } from './sql-state.js';

/** Behind a statement that waits for a table, everybody else who needs it queues up: no longer than this. */
const lockWaitMs = 1_000;
/** In which they go on. */
const betweenTriesMs = 500;
const tries = 60;

/** Somebody who is told, line by line, what a migration is doing. */
export type Say = (line: string) => void;

/** Runs `work` in one transaction that waits for each lock a second at the most; when that was not enough, again, up to sixty times. */
export async function patientTransaction(
  runner: QueryRunner,
  what: string,
  say: Say,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runner.startTransaction();
      await runner.query(`set local lock_timeout = ${lockWaitMs}`);
      await work();
      return await runner.commitTransaction();
    } catch (error) {
      // Of a connection that is gone nothing can be taken back, and nothing has to be.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      const inUse = [lockNotAvailable, deadlockDetected].includes(sqlState(error) ?? '');
      if (!inUse || attempt === tries) throw error;
      say(`${what}: ${(error as Error).message}; tries again (${attempt} of ${tries})`);
      await pause(betweenTriesMs);
    }
  }
}
