import { type SourceRecord, volumeLimits } from '@idsync/contracts';
import { type Database, sqlState, type Transaction } from '@idsync/database';
import { LoadLimitExceeded, setLoadLimit } from '@idsync/database/directory';

export interface LeftOut {
  external_id: string;
  line?: number;
  message: string;
}

/**
 * Strategy for applying the records of a batch: all at once or in parts. Returns the records that could not be applied.
 */
export type Divide = (
  tx: Transaction,
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

export const asOne: Divide = async (tx, records, apply) => {
  setLoadLimit(tx, volumeLimits.loadWeight);
  await apply(records);
  return [];
};

/** Halves a failing batch until the failing records are isolated. */
export const inHalves: Divide = async (tx, records, apply) => {
  const leftOut: LeftOut[] = [];
  const applyPart = (part: readonly SourceRecord[]) => {
    limitLoad(tx, part.length);
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

/** PostgreSQL's error messages contain no values; messages of internal errors may. */
function reasonOf(error: unknown): string {
  if (error instanceof NotApplicable || error instanceof LoadLimitExceeded)
    return `could not be applied: ${error.message}`;
  const words =
    sqlState(error) === undefined ? 'internal error' : error instanceof Error ? error.message : String(error);
  return `could not be applied: ${words.slice(0, 300)}`;
}

/**
 * Applies all items at once. If that fails, undoes it and applies each half, until only single items fail, which are
 * left out: each costs a logarithmic number of attempts. `examine` throws an error that is no fault of an item.
 */
export async function applyInHalves<Item, Result>(
  tx: Transaction,
  items: readonly Item[],
  apply: (part: readonly Item[]) => Promise<Result>,
  examine: (error: unknown, part: readonly Item[]) => void,
): Promise<Result[]> {
  try {
    return [await tx.attempt(() => apply(items))];
  } catch (error) {
    examine(error, items);
  }
  if (items.length < 2) return [];
  const middle = Math.ceil(items.length / 2);
  const first = await applyInHalves(tx, items.slice(0, middle), apply, examine);
  return [...first, ...(await applyInHalves(tx, items.slice(middle), apply, examine))];
}

/** Runs one chunk of a larger task in a transaction, which is halved while its records exceed the load limit. */
export function runChunk<Result>(
  database: Database,
  tenantId: string,
  chunkSize: number,
  work: (tx: Transaction, chunkSize: number) => Promise<Result>,
): Promise<Result> {
  return halving(chunkSize, (size) =>
    database.transaction(tenantId, (tx) => {
      limitLoad(tx, size);
      return work(tx, size);
    }),
  );
}

/** Runs work in chunks of this size, and again in smaller ones while the records of a chunk exceed the load limit. */
export async function halving<Result>(
  chunkSize: number,
  work: (chunkSize: number) => Promise<Result>,
): Promise<Result> {
  for (let size = chunkSize; ; size = Math.ceil(size / 2)) {
    try {
      return await work(size);
    } catch (error) {
      if (!(error instanceof LoadLimitExceeded) || size === 1) throw error;
    }
  }
}

/** Sets the load limit of a chunk, which is higher for a single record. */
export function limitLoad(tx: Transaction, chunkSize: number): void {
  setLoadLimit(tx, chunkSize === 1 ? volumeLimits.loadWeightOfOne : volumeLimits.loadWeight);
}
