import { CheckpointExpired, SourceError } from '@idsync/connectors';
import { type ClaimedJob, type Lease, lockLeasedJob } from '@idsync/database';
import { answerOf } from './answer-of.js';
import { readRecord } from './read-record.js';
import { Interrupted, type RunControl } from './run-control.js';
import { openReading, type Reading, readInFull } from './settle-mode.js';
import type { SyncContext } from './sync-context.js';
import { writePage } from './write-page.js';

/**
 * Reads a job's source from where it was left to its end. Throws SourceError if the source failed, and Interrupted if
 * the run must end before.
 */
export async function readSource(
  context: SyncContext,
  job: ClaimedJob,
  lease: Lease,
  control: RunControl,
): Promise<void> {
  if (job.externalId !== null) return readRecord(context, { ...job, externalId: job.externalId }, lease, control);
  const reading = await openReading(context, lease, job.connectorId);
  try {
    await readPages(context, reading, lease, control);
  } catch (error) {
    if (!(error instanceof CheckpointExpired) || reading.job.since === null) throw error;
    // What changes were read so far must not be applied after what the full read says.
    await waitForRoom(context, lease, control, 1);
    if (control.stopping) throw new Interrupted('worker stops');
    await readPages(context, await readInFull(context, lease, reading, error), lease, control);
  }
}

async function readPages(
  context: SyncContext,
  { connector, job: { since, cursor } }: Reading,
  lease: Lease,
  control: RunControl,
): Promise<void> {
  const { pageSize, batchesInFlight, pageTimeoutMs } = context.settings;
  const pages = connector
    .read({ pageSize, signal: control.signal, ...(since && { since }), ...(cursor && { cursor }) })
    [Symbol.asyncIterator]();
  try {
    for (let unapplied = batchesInFlight; ; ) {
      if (unapplied >= batchesInFlight) await waitForRoom(context, lease, control, batchesInFlight);
      if (control.stopping) throw new Interrupted('worker stops');
      const next = await answerOf(() => pages.next(), control.signal, pageTimeoutMs);
      if (next.done) throw new SourceError('the source stopped before its end was seen');
      unapplied = await writePage(context, lease, next.value);
      if (next.value.last) return;
    }
  } finally {
    // Not awaited: a read that hangs would never answer.
    void Promise.resolve(pages.return?.()).catch(() => undefined);
  }
}

/** Waits until fewer than `most` batches are not applied, so that a directory that is down does not fill the table. */
async function waitForRoom(context: SyncContext, lease: Lease, control: RunControl, most: number): Promise<void> {
  while (!control.stopping) {
    control.signal.throwIfAborted();
    const job = await context.database.transaction(lease.tenantId, (tx) => lockLeasedJob(tx, lease));
    if (!job) throw new Interrupted('lease lost');
    if (job.batchesWritten - job.batchesProcessed < most) return;
    await control.wakeUp.wait(context.settings.roomPollMs);
  }
}
