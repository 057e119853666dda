import { type Page, SourceError } from '@idsync/connectors';
import { type ClaimedJob, findJobSource, type Lease, lockLeasedJob } from '@idsync/database';
import { Interrupted, type RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';
import { connectorDeleted, writePage } from './write-page.js';

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
  const { database, openConnector, settings } = context;
  const source = await database.transaction(job.tenantId, (tx) => findJobSource(tx, job.connectorId));
  if (!source) throw new SourceError(connectorDeleted);
  const pages = openConnector(source)
    .read({ pageSize: settings.pageSize, signal: control.signal, ...(job.cursor && { cursor: job.cursor }) })
    [Symbol.asyncIterator]();
  try {
    let unapplied = job.batchesWritten - job.batchesProcessed;
    for (;;) {
      await waitForRoom(context, lease, control, unapplied);
      if (control.stopping) throw new Interrupted('worker stops');
      const next = await nextPage(pages, control.signal, settings.pageTimeoutMs);
      if (next.done) throw new SourceError('the source stopped before its end was seen');
      unapplied = await writePage(context, lease, next.value);
      if (next.value.last) return;
    }
  } finally {
    // Not awaited: a read that hangs would never answer.
    void Promise.resolve(pages.return?.()).catch(() => undefined);
  }
}

/** Keeps the source waiting while the directory is behind, so that a directory that is down does not fill the table. */
async function waitForRoom(context: SyncContext, lease: Lease, control: RunControl, unapplied: number): Promise<void> {
  let waiting = unapplied;
  while (waiting >= context.settings.batchesInFlight && !control.stopping) {
    await control.wakeUp.wait(context.settings.roomPollMs);
    control.signal.throwIfAborted();
    const job = await context.database.transaction(lease.tenantId, (tx) => lockLeasedJob(tx, lease));
    if (!job) throw new Interrupted('lease lost');
    waiting = job.batchesWritten - job.batchesProcessed;
  }
}

/** The next page, unless the run is interrupted or the source is silent for too long. */
async function nextPage(
  pages: AsyncIterator<Page>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<IteratorResult<Page>> {
  signal.throwIfAborted();
  let stopWaiting = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    const interrupted = () => reject(signal.reason);
    const silent = () => reject(new SourceError(`the source was silent for ${timeoutMs / 1000} seconds`));
    const timer = setTimeout(silent, timeoutMs);
    signal.addEventListener('abort', interrupted, { once: true });
    stopWaiting = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupted);
    };
  });
  try {
    return await Promise.race([pages.next(), givenUp]);
  } finally {
    stopWaiting();
  }
}
