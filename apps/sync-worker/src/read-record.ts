import { type Connector, type FoundRecord, type Page, SourceError } from '@idsync/connectors';
import { type ClaimedJob, findJobSource, type Lease, lockLeasedJob } from '@idsync/database';
import { answerOf } from './answer-of.js';
import { Interrupted, type RunControl } from './run-control.js';
import { connectorDeleted } from './settle-mode.js';
import type { SyncContext } from './sync-context.js';
import { writePage } from './write-page.js';

/** Reads the one record that a job is about, and writes the one page it has. */
export async function readRecord(
  context: SyncContext,
  { connectorId, externalId }: Pick<ClaimedJob, 'connectorId'> & { externalId: string },
  lease: Lease,
  { signal }: RunControl,
): Promise<void> {
  const connector = await openSource(context, lease, connectorId);
  const ask = connector.readOne?.bind(connector);
  if (!ask) throw new SourceError('connectors of this kind cannot read one record alone');
  const found = await answerOf(() => ask(externalId, signal), signal, context.settings.pageTimeoutMs);
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
  if (!source) throw new SourceError(connectorDeleted);
  return openConnector(source);
}

function pageOf(externalId: string, found: FoundRecord): Page {
  const page = { records: [], errors: [], cursor: {}, last: true };
  if (found === 'absent') return { ...page, removed: [externalId] };
  if ('error' in found) return { ...page, errors: [{ ...found.error, external_id: externalId }] };
  // Anything else would be written to somebody nobody asked for.
  if (found.record.external_id !== externalId) {
    throw new SourceError(`the source gave another record: ${JSON.stringify(found.record.external_id)}`);
  }
  return { ...page, records: [found.record] };
}
