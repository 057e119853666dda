import { CheckpointExpired, type Outage, readThroughOutages } from '@idsync/connectors';
import { type ClaimedJob, type Lease, saveCounts } from '@idsync/database/sync';
import { endReadJob } from './end-job.js';
import { afterPage } from './job-counts.js';
import { openReading, type Reading, readInFull } from './open-reading.js';
import { readRecord, retryFailingRecords } from './read-record.js';
import { Interrupted, type RunControl, withLeasedJob } from './run-control.js';
import type { SyncContext } from './sync-context.js';
import { writePage } from './write-page.js';

/**
 * Reads a job's source from the stored cursor to the end. Throws SourceError if the source failed, and Interrupted if
 * the run must end earlier.
 */
export async function readSource(
  context: SyncContext,
  job: ClaimedJob,
  lease: Lease,
  control: RunControl,
): Promise<void> {
  if (job.externalId !== null) return readRecord(context, { ...job, externalId: job.externalId }, lease, control);
  if (job.retires) return endRetirement(context, lease);
  const reading = await openReading(context, lease, job.connectorId);
  await retryFailingRecords(context, job.connectorId, reading, lease, control);
  try {
    await readPages(context, reading, lease, control);
  } catch (error) {
    if (!(error instanceof CheckpointExpired) || reading.job.since === null) throw error;
    // The changes read so far must be applied before the results of the full run.
    await waitForCapacity(context, lease, control, 1);
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
  const { pageSize, batchesInFlight } = context.settings;
  const options = { pageSize, signal: control.signal, ...(since && { since }), ...(cursor && { cursor }) };
  const notice = ({ error, failures, pauseMs }: Outage) =>
    context.log.warn(
      { err: error, job_id: lease.jobId, failures, pauseMs },
      'waiting for a source that is unavailable',
    );
  const pages = readThroughOutages(connector, options, context.settings, { giveUp: control.stopSignal, notice });
  try {
    for (let unapplied = batchesInFlight; ; ) {
      if (unapplied >= batchesInFlight) await waitForCapacity(context, lease, control, batchesInFlight);
      if (control.stopping) throw new Interrupted('worker stops');
      const next = await pages.next();
      if (next.done) return;
      unapplied = await writePage(context, lease, next.value);
      if (next.value.last) return;
    }
  } finally {
    // Not awaited, because a hanging read would never return.
    void pages.return(undefined).catch(() => undefined);
  }
}

/**
 * Waits until fewer than `limit` batches are unapplied, so that the table does not fill up while the directory is down.
 */
async function waitForCapacity(context: SyncContext, lease: Lease, control: RunControl, limit: number): Promise<void> {
  while (!control.stopping) {
    control.signal.throwIfAborted();
    const job = await withLeasedJob(context, lease, async (_, leased) => leased);
    if (job.batchesWritten - job.batchesProcessed < limit) return;
    await control.wakeUp.wait(context.settings.capacityPollMs);
  }
}

const nothing = { records: 0, batches: 0, errors: 0, fieldsLeftOut: 0, last: true };

/** Requests the sweep of a retirement, which reads no source: its connector is deleted, so no record is listed. */
async function endRetirement(context: SyncContext, lease: Lease): Promise<void> {
  await withLeasedJob(context, lease, async (tx, job) => {
    const counts = afterPage(job, nothing);
    await saveCounts(tx, job.id, counts);
    await endReadJob(tx, job, counts);
  });
}
