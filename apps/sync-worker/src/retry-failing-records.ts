import { answerOf, type Connector, type Page } from '@idsync/connectors';
import { comparedText } from '@idsync/contracts';
import { type Lease, lockLeasedJob, takeRetry } from '@idsync/database/sync';
import type { Reading } from './open-reading.js';
import { pageOf } from './read-record.js';
import { Interrupted, type RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';
import { writePage } from './write-page.js';

/**
 * Reads failing records again at the beginning of an incremental run, which does not name them unless they change. They
 * are part of the run, so its safeguard applies to them.
 */
export async function retryFailingRecords(
  context: SyncContext,
  connectorId: string,
  { connector, job: { since, cursor, dryRun } }: Reading,
  lease: Lease,
  control: RunControl,
): Promise<void> {
  const readOne = connector.readOne?.bind(connector);
  if (since === null || cursor !== null || dryRun || !readOne) return;
  const { settings, log } = context;
  const pages: Page[] = [];
  const deadline = performance.now() + settings.retryMs;
  for (let count = 0; count < settings.retries && !control.stopping; count += 1) {
    const leftMs = deadline - performance.now();
    const externalId = leftMs > 0 ? await takeNext(context, connectorId, lease) : undefined;
    if (externalId === undefined) break;
    try {
      pages.push(await readAgain(readOne, externalId, control.signal, leftMs));
    } catch (err) {
      control.signal.throwIfAborted();
      // The record is due again later. If the source is unavailable, the run itself waits for it or fails.
      log.warn({ err, job_id: lease.jobId }, 'reading a failing record again failed');
      break;
    }
  }
  if (pages.length === 0) return;
  await writePage(context, lease, {
    records: pages.flatMap(({ records }) => records),
    errors: pages.flatMap(({ errors }) => errors),
    removed: pages.flatMap(({ removed = [] }) => removed),
    cursor: null,
    last: false,
    isRetry: true,
  });
}

/** Delays the next retry before the record is read, so that a record that stops the worker does not stop every run. */
function takeNext({ database }: SyncContext, connectorId: string, lease: Lease): Promise<string | undefined> {
  return database.transaction(lease.tenantId, async (tx) => {
    if (!(await lockLeasedJob(tx, lease))) throw new Interrupted('lease lost');
    return takeRetry(tx, connectorId);
  });
}

async function readAgain(
  readOne: NonNullable<Connector['readOne']>,
  externalId: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Page> {
  const abandoned = new AbortController();
  const ends = AbortSignal.any([signal, abandoned.signal]);
  try {
    return pageOf(externalId, await answerOf(() => readOne(comparedText(externalId), ends), signal, timeoutMs));
  } finally {
    abandoned.abort();
  }
}
