import { type OperationInput, type OperationResult, type OperationType, recordKinds } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  countRecords,
  findRecordIds,
  lockRecordsById,
  type OperationProgress,
  type StoredRecord,
} from '@idsync/database/directory';
import { type Cause, readTenant } from '../changes/cause.js';

/** A change of settings that changes all records of a tenant in parts. Functions return the result of all parts so far. */
export interface TenantChange<T extends OperationType> {
  /** Result of no part. */
  nothing: OperationResult<T>;
  /** Stores the settings. */
  begin(tx: Transaction, cause: Cause, input: OperationInput<T>): Promise<void>;
  /** Applies the stored settings to these records. Applying them again changes nothing. */
  change(
    tx: Transaction,
    cause: Cause,
    records: readonly StoredRecord[],
    done: OperationResult<T>,
  ): Promise<OperationResult<T>>;
  /** Does a part of what follows when all records are changed; the last part returns no position. */
  follow?(
    tx: Transaction,
    cause: Cause,
    input: OperationInput<T>,
    done: OperationResult<T>,
    from: { after?: string | undefined; size: number },
  ): Promise<{ done: OperationResult<T>; after?: string }>;
}

/** Records per transaction. */
export const partSize = 500;

export interface Requested<T extends OperationType> {
  change: TenantChange<T>;
  input: OperationInput<T>;
}

/** Without progress, all parts are made. */
interface State<T extends OperationType> {
  result: OperationResult<T>;
  progress?: OperationProgress;
}

/** Stores the settings, and returns the state before the first part. */
export async function beginChange<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  { change, input }: Requested<T>,
): Promise<Required<State<T>>> {
  await change.begin(tx, cause, input);
  const progress = { done: 0, total: await countRecords(tx), step: 0 };
  return { result: change.nothing, progress };
}

/** Makes one part: people first, because accounts and machines follow them. */
export async function changePart<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  { change, input }: Requested<T>,
  { result, progress }: Required<State<T>>,
  size: number,
): Promise<State<T>> {
  const { step, after } = progress;
  const kind = recordKinds[step];
  if (kind === undefined) {
    const part = await change.follow?.(tx, cause, input, result, { after, size });
    if (part?.after === undefined) return { result: part?.done ?? result };
    return { result: part.done, progress: { ...progress, after: part.after } };
  }
  const ids = await findRecordIds(tx, cause.tenantId, kind, after, size);
  const records = await lockRecordsById(tx, ids);
  const changed = ids.length === 0 ? result : await change.change(tx, cause, records, result);
  const next = ids.length === size ? { after: ids.at(-1) } : { step: step + 1, after: undefined };
  return { result: changed, progress: { ...progress, ...next, done: progress.done + ids.length } };
}

/** Makes the whole change in one transaction, with what would follow later, and returns its result. */
export async function changeAll<T extends OperationType>(
  tx: Transaction,
  given: Cause,
  { change, input }: Requested<T>,
): Promise<OperationResult<T>> {
  const requested = { change, input: { ...input, preview: true } };
  let { result, progress }: State<T> = await beginChange(tx, given, requested);
  const cause = { ...given, ...(await readTenant(tx, given.tenantId)) };
  while (progress) ({ result, progress } = await changePart(tx, cause, requested, { result, progress }, partSize));
  return result;
}
