import type { SourceRecord } from '@idsync/contracts';
import { sqlState, type Transaction } from '@idsync/database';
import type { ChangedRecords } from './read-batch.js';

type Apply = (records: readonly SourceRecord[]) => Promise<ChangedRecords>;

interface Applied {
  parts: ChangedRecords[];
  leftOut: { external_id: string; message: string }[];
}

/** How the records of a batch are applied: all at once, or in parts. */
export type Divide = (records: readonly SourceRecord[], apply: Apply) => Promise<Applied>;

/** Where so many cannot be applied it is not for what they say: then the batch fails as a whole. */
const mostLeftOut = 100;

/** SQLSTATE classes of what a statement was given, rather than of the server or of who else is at it. */
const faultsOfData = ['22', '23', '54'];

/** True if an error may come from what one record says; another try as it stands would end in the same way. */
export function isFaultOfRecord(error: unknown): boolean {
  const state = sqlState(error);
  // Without a state it is a mistake of ours, or the connection: that fails again.
  return state === undefined || faultsOfData.includes(state.slice(0, 2));
}

export const asOne: Divide = async (records, apply) => ({ parts: [await apply(records)], leftOut: [] });

/** Halves what fails until the records that cannot be applied are found: each costs as many tries as the batch has halvings. */
export function inHalves(tx: Transaction): Divide {
  return async (records, apply) => {
    const done: Applied = { parts: [], leftOut: [] };
    await halve(tx, records, apply, done);
    return done;
  };
}

async function halve(tx: Transaction, records: readonly SourceRecord[], apply: Apply, done: Applied): Promise<void> {
  await tx.query('savepoint part');
  try {
    done.parts.push(await apply(records));
    await tx.query('release savepoint part');
    return;
  } catch (error) {
    if (!isFaultOfRecord(error)) throw error;
    await tx.query('rollback to savepoint part; release savepoint part');
    const [only, another] = records;
    if (only && !another) {
      if (done.leftOut.length >= mostLeftOut) throw error;
      done.leftOut.push({ external_id: only.external_id, message: reasonOf(error) });
    }
    if (!another) return;
  }
  const middle = Math.ceil(records.length / 2);
  await halve(tx, records.slice(0, middle), apply, done);
  await halve(tx, records.slice(middle), apply, done);
}

/** PostgreSQL's words name no values; those of our own mistakes may. */
function reasonOf(error: unknown): string {
  const words =
    sqlState(error) === undefined ? 'internal error' : error instanceof Error ? error.message : String(error);
  return `could not be applied: ${words.slice(0, 300)}`;
}
