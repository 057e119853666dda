import type { OperationInput, OperationResult, OperationType } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import type { OperationProgress } from '@idsync/database/directory';
import { limitLoad } from '../batch/divide-batch.js';
import { type Cause, readTenant } from '../changes/cause.js';
import { Refused } from './outcome.js';

/** The input of a change; `preview`: it is computed only, mostly on copies, so other rows must not be locked or written. */
export type Given<T extends OperationType> = OperationInput<T> & { preview?: boolean };

/** A position in the steps of a change. */
export type Position = Pick<OperationProgress, 'step' | 'after'>;

/** A change of a tenant that is made in parts. Functions return the result of all parts so far. */
export interface TenantChange<T extends OperationType> {
  /** Result of no part. */
  nothing: OperationResult<T>;
  /** Number of steps, each with its own rows. */
  steps: number;
  /** Set if it changes settings, by which other work decides at once: it always takes more than one transaction. */
  isOfSettings?: true;
  /** Note in the result after it was cancelled: a state that stays until another request. */
  unfinished?: string;
  /** Checks whether it is possible, and stores settings. */
  begin(tx: Transaction, cause: Cause, input: Given<T>): Promise<void>;
  /** Number of rows of all steps. */
  count(tx: Transaction, input: Given<T>): Promise<number>;
  /** Finds the ids of the next rows of a step, in an order that its parts do not change. */
  find(tx: Transaction, input: Given<T>, position: Position, limit: number): Promise<string[]>;
  /** Changes these rows, unless they need no change any longer. */
  change(
    tx: Transaction,
    cause: Cause,
    input: Given<T>,
    ids: readonly string[],
    done: OperationResult<T>,
  ): Promise<OperationResult<T>>;
  /** Does a part of what follows when all rows are changed; the last part returns no position. */
  follow?(
    tx: Transaction,
    cause: Cause,
    input: Given<T>,
    done: OperationResult<T>,
    from: { after?: string | undefined; size: number },
  ): Promise<{ done: OperationResult<T>; after?: string }>;
  /** Ends it in the transaction of the last part. */
  end?(tx: Transaction, cause: Cause, input: Given<T>): Promise<void>;
}

/** Rows per transaction. */
export const partSize = 500;

/** Thrown before a part that has to wait for the end of a sync job. A change that has not begun is refused. */
export class Waiting extends Refused {}

export interface Requested<T extends OperationType> {
  change: TenantChange<T>;
  input: Given<T>;
}

/** Without progress, all parts are made. */
interface State<T extends OperationType> {
  result: OperationResult<T>;
  progress?: OperationProgress;
}

/** Returns true for a change that is too large for one transaction. */
export async function needsParts<T extends OperationType>(
  tx: Transaction,
  { change, input }: Requested<T>,
): Promise<boolean> {
  return change.isOfSettings ?? (await change.find(tx, input, { step: 0 }, partSize + 1)).length > partSize;
}

/** Stores the settings, and returns the state before the first part. */
export async function beginChange<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  { change, input }: Requested<T>,
): Promise<Required<State<T>>> {
  await change.begin(tx, cause, input);
  const progress = { done: 0, total: await change.count(tx, input), step: 0 };
  return { result: change.nothing, progress };
}

/** Makes one part. */
export async function changePart<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  { change, input }: Requested<T>,
  { result, progress }: Required<State<T>>,
  size: number,
): Promise<State<T>> {
  const { step, after } = progress;
  if (step >= change.steps) {
    const part = await change.follow?.(tx, cause, input, result, { after, size });
    if (part?.after !== undefined) return { result: part.done, progress: { ...progress, after: part.after } };
    await change.end?.(tx, cause, input);
    return { result: part?.done ?? result };
  }
  const ids = await change.find(tx, input, { step, after }, size);
  const changed = ids.length === 0 ? result : await change.change(tx, cause, input, ids, result);
  const next = ids.length === size ? { after: ids.at(-1) } : { step: step + 1, after: undefined };
  return { result: changed, progress: { ...progress, ...next, done: progress.done + ids.length } };
}

/** Makes the whole change in one transaction, in parts of this size, and returns its result. */
export async function changeAll<T extends OperationType>(
  tx: Transaction,
  given: Cause,
  requested: Requested<T>,
  size: number,
): Promise<OperationResult<T>> {
  let { result, progress }: State<T> = await beginChange(tx, given, requested);
  const cause = { ...given, ...(await readTenant(tx)) };
  while (progress) {
    limitLoad(tx, size);
    ({ result, progress } = await changePart(tx, cause, requested, { result, progress }, size));
  }
  return result;
}
