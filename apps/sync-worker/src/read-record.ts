import { answerOf, type Connector, type FoundRecord, type Page, SourceError } from '@idsync/connectors';
import { comparedText } from '@idsync/contracts';
import { type ClaimedJob, type Lease, takeRetry } from '@idsync/database/sync';
import { type Reading, requireSource } from './open-reading.js';
import { type RunControl, withLeasedJob } from './run-control.js';
import type { SyncContext } from './sync-context.js';
import { writePage } from './write-page.js';

/** Reads the record of a single-record job and writes it as one page. The id may be written in another way. */
export async function readRecord(
  context: SyncContext,
  { connectorId, externalId }: Pick<ClaimedJob, 'connectorId'> & { externalId: string },
  lease: Lease,
  { signal }: RunControl,
): Promise<void> {
  const source = await withLeasedJob(context, lease, (tx) => requireSource(tx, connectorId));
  const connector = context.openConnector(source);
  const ask = connector.readOne?.bind(connector);
  if (!ask) throw new SourceError('this type of connector cannot read a single record', 'misconfigured');
  const found = await answerOf(() => ask(comparedText(externalId), signal), signal, context.settings.pageTimeoutMs);
  await writePage(context, lease, pageOf(externalId, found));
}

/** Returns a page with the record, its error, or its removal. */
function pageOf(externalId: string, found: FoundRecord): Page {
  const page = { records: [], errors: [], cursor: {}, last: true };
  if (found === 'absent') return { ...page, removed: [externalId] };
  if ('error' in found) return { ...page, errors: [{ ...found.error, external_id: externalId }] };
  // Applying it would change a record that was not requested.
  if (found.record.external_id !== comparedText(externalId)) {
    throw new SourceError('the source returned a different record than the requested one');
  }
  return { ...page, records: [found.record] };
}

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
function takeNext(context: SyncContext, connectorId: string, lease: Lease): Promise<string | undefined> {
  return withLeasedJob(context, lease, (tx) => takeRetry(tx, connectorId));
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
