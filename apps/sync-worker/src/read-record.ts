import { answerOf, type Connector, type FoundRecord, type Page, SourceError } from '@idsync/connectors';
import { comparedText } from '@idsync/contracts';
import { type ClaimedJob, findJobSource, type Lease, lockLeasedJob } from '@idsync/database/sync';
import { connectorDeleted } from './open-reading.js';
import { Interrupted, type RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';
import { writePage } from './write-page.js';

/** Reads the record of a single-record job and writes it as one page. The id may be written in another way. */
export async function readRecord(
  context: SyncContext,
  { connectorId, externalId }: Pick<ClaimedJob, 'connectorId'> & { externalId: string },
  lease: Lease,
  { signal }: RunControl,
): Promise<void> {
  const connector = await openSource(context, lease, connectorId);
  const ask = connector.readOne?.bind(connector);
  if (!ask) throw new SourceError('this type of connector cannot read a single record', { code: 'misconfigured' });
  const found = await answerOf(() => ask(comparedText(externalId), signal), signal, context.settings.pageTimeoutMs);
  await writePage(context, lease, pageOf(externalId, found));
}

async function openSource(
  { database, openConnector }: SyncContext,
  lease: Lease,
  connectorId: string,
): Promise<Connector> {
  const source = await database.transaction(lease.tenantId, async (tx) => {
    if (!(await lockLeasedJob(tx, lease))) throw new Interrupted('lease lost');
    return findJobSource(tx, connectorId);
  });
  if (!source) throw new SourceError(connectorDeleted, { code: 'misconfigured' });
  return openConnector(source);
}

/** Returns a page with the record, its error, or its removal. */
export function pageOf(externalId: string, found: FoundRecord): Page {
  const page = { records: [], errors: [], cursor: {}, last: true };
  if (found === 'absent') return { ...page, removed: [externalId] };
  if ('error' in found) return { ...page, errors: [{ ...found.error, external_id: externalId }] };
  // Applying it would change a record that was not requested.
  if (found.record.external_id !== comparedText(externalId)) {
    throw new SourceError('the source returned a different record than the requested one');
  }
  return { ...page, records: [found.record] };
}
