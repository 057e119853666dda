import { type SourceRecord, volumeLimits } from '@idsync/contracts';
import { sqlState, type Transaction } from '@idsync/database';
import { LoadLimitExceeded, setLoadLimit } from '@idsync/database/directory';
import { applyInHalves } from './halves.js';

export interface LeftOut {
  external_id: string;
  line?: number;
  message: string;
}

/**
 * Strategy for applying the records of a batch: all at once or in parts. Returns the records that could not be applied.
 */
export type Divide = (
  records: readonly SourceRecord[],
  apply: (records: readonly SourceRecord[]) => Promise<void>,
) => Promise<LeftOut[]>;

/** With more failed records the cause is probably not in the records, so the whole batch fails. */
const maxLeftOut = 100;

/** SQLSTATE classes of errors in the data, as opposed to errors of the server or of concurrent work. */
const faultsOfData = ['22', '23', '54'];

/** Thrown for a record that cannot be applied; the job shows the message. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** External ids of the records of a run by which people lose access, or get it again. */
export interface AccessChanges {
  takers: ReadonlySet<string>;
  givers: ReadonlySet<string>;
}

/** Thrown for a batch that takes or gives access: the run applies these changes only when it is complete. */
export class ChangesAccess extends Error {
  override readonly name = 'ChangesAccess';
  constructor(readonly found: AccessChanges) {
    super(`${found.takers.size} changes take access, and ${found.givers.size} give it`);
  }
}

/** Returns true if one record may be the cause of the error, so that a retry of the same batch would fail again. */
export function isFaultOfRecord(error: unknown): boolean {
  if (error instanceof ChangesAccess) return false;
  const state = sqlState(error);
  // An error without a SQLSTATE is a bug, or a lost connection, on which the division fails as well.
  return state === undefined || faultsOfData.includes(state.slice(0, 2));
}

export function asOne(tx: Transaction): Divide {
  return async (records, apply) => {
    setLoadLimit(tx, volumeLimits.loadWeight);
    await apply(records);
    return [];
  };
}

/** Halves a failing batch until the failing records are isolated. */
export function inHalves(tx: Transaction): Divide {
  return async (records, apply) => {
    const leftOut: LeftOut[] = [];
    const applyPart = (part: readonly SourceRecord[]) => {
      setLoadLimit(tx, part.length === 1 ? volumeLimits.loadWeightOfOne : volumeLimits.loadWeight);
      return apply(part);
    };
    await applyInHalves(tx, records, applyPart, (error, [only, another]) => {
      if (!isFaultOfRecord(error)) throw error;
      if (!only || another) return;
      if (leftOut.length >= maxLeftOut) throw error;
      leftOut.push({ external_id: only.external_id, message: reasonOf(error) });
    });
    return leftOut;
  };
}

/** PostgreSQL's error messages contain no values; messages of internal errors may. */
function reasonOf(error: unknown): string {
  if (error instanceof NotApplicable || error instanceof LoadLimitExceeded)
    return `could not be applied: ${error.message}`;
  const words =
    sqlState(error) === undefined ? 'internal error' : error instanceof Error ? error.message : String(error);
  return `could not be applied: ${words.slice(0, 300)}`;
}
