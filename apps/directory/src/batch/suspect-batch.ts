import { type MessageData, newUuid, type SourceRecord } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  type BatchState,
  findBatchState,
  type ReadyBatch,
  saveBatchState,
  tryLockBatch,
} from '@idsync/database/directory';
import { type Divide, inHalves, type LeftOut } from './divide-batch.js';

type Batch = MessageData<'sync.batch.ready'>;

/**
 * Number of parts into which a part that crashed a process is divided. More parts need fewer crashes to isolate the
 * record.
 */
const partsOfOne = 32;
/** Crashes after which a record that was applied alone is skipped. */
const stopsOfOne = 2;

/** Identifies the notes of this process, which prove no crash because the process still runs. */
const processId = newUuid();

const noPart = { processId: null, first: null, beyond: null, stops: 0 };

/**
 * Returns the state after a crash, which is a part that another process began and did not end. Divides the part, or
 * skips it if it is a single record that has crashed two processes. Pure.
 */
export function afterStop(begun: BatchState, own = processId): BatchState {
  const { first, beyond, stops, cuts, leftOut } = begun;
  if (begun.processId === null || first === null || beyond === null) return begun;
  if (begun.processId === own) return { ...begun, ...noPart, stops };
  if (beyond - first > 1) return { ...begun, ...noPart, cuts: cutAt(cuts, first, beyond) };
  if (stops + 1 < stopsOfOne) return { ...begun, processId: null, stops: stops + 1 };
  return { ...begun, ...noPart, leftOut: [...leftOut, first] };
}

function cutAt(cuts: readonly number[], first: number, beyond: number): number[] {
  const size = Math.ceil((beyond - first) / partsOfOne);
  const inner = Array.from({ length: partsOfOne }, (_, nth) => first + nth * size).filter((at) => at < beyond);
  return [...new Set([...cuts, ...inner, beyond])].sort((a, b) => a - b);
}

/** Returns the parts of a batch of `count` records, in order. */
export function partsOf(count: number, cuts: readonly number[]): [first: number, beyond: number][] {
  const starts = [0, ...cuts.filter((at) => at > 0 && at < count)];
  return starts.map((first, nth) => [first, starts[nth + 1] ?? count] as [number, number]).filter(([a, b]) => a < b);
}

/**
 * Saves the state after a crash. Returns true if the batch is divided further; it is then republished, because every
 * crash counts against the delivery limit of its message.
 */
export async function saveStop(
  tx: Transaction,
  { job_id: jobId, seq }: Batch,
  mode: ReadyBatch['mode'],
): Promise<boolean> {
  const begun = await lockState(tx, jobId, seq);
  if (!begun) return false;
  const next = afterStop(begun);
  await saveBatchState(tx, { jobId, seq }, next);
  const isDivided = next.cuts.length > begun.cuts.length || next.leftOut.length > begun.leftOut.length;
  const type = mode === 'record' ? 'sync.record.ready' : 'sync.batch.ready';
  if (isDivided) await enqueue(tx, { type, tenantId: tx.tenantId, data: { job_id: jobId, seq } });
  return isDivided;
}

/**
 * Applies a batch part by part. Commits a note before each part, so that the next process knows which part crashed this
 * one. Skips records that are known to crash processes.
 */
export function partByPart(database: Database, tenantId: string, { job_id: jobId, seq }: Batch): Divide {
  const note = (begun: BatchState) =>
    database.transaction(tenantId, (other) => saveBatchState(other, { jobId, seq }, begun));
  return async (tx, records, apply) => {
    const known = (await lockState(tx, jobId, seq)) ?? { ...noPart, cuts: [], leftOut: [] };
    const idle = { ...known, ...noPart };
    const leftOut: LeftOut[] = [];
    for (const [first, beyond] of partsOf(records.length, known.cuts)) {
      if (known.leftOut.includes(first)) {
        leftOut.push(...records.slice(first, beyond).map(leftOutForStops));
        continue;
      }
      const stops = known.first === first && known.beyond === beyond ? known.stops : 0;
      await note({ ...idle, processId, first, beyond, stops });
      leftOut.push(...(await inHalves(tx, records.slice(first, beyond), apply)));
    }
    await note(idle);
    return leftOut;
  };
}

async function lockState(tx: Transaction, jobId: string, seq: number): Promise<BatchState | undefined> {
  if (!(await tryLockBatch(tx, jobId, seq))) throw new Error('the batch is being applied by another process');
  return findBatchState(tx, jobId, seq);
}

/** Removes the note of a part that failed without a crash. */
export async function clearNote(database: Database, tenantId: string, { job_id: jobId, seq }: Batch): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const begun = await findBatchState(tx, jobId, seq);
    if (begun?.processId === processId) await saveBatchState(tx, { jobId, seq }, afterStop(begun));
  });
}

function leftOutForStops({ external_id }: SourceRecord): LeftOut {
  return { external_id, message: 'could not be applied: the directory was stopped twice while applying it' };
}
