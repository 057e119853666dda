import { type Connector, type Page, SourceError } from '@idsync/connectors';
import type { Message, ProbeKind, ProbeResult } from '@idsync/contracts';
import { endProbe, findJobSource, findOpenProbe } from '@idsync/database';
import type { SyncContext } from './sync-context.js';

/** Records that a test shows. */
const shown = 5;

/** Reads a little of a source and writes down what came of it. Killed in between, it is done again. */
export async function runProbe(
  context: SyncContext,
  { tenant_id: tenantId, data }: Message<'connector.probe.requested'>,
): Promise<void> {
  const { database, settings } = context;
  const found = await database.transaction(tenantId, async (tx) => {
    const probe = await findOpenProbe(tx, tenantId, data.probe_id);
    return probe && { ...probe, source: await findJobSource(tx, probe.connectorId) };
  });
  if (!found) return;
  const { id, kind, source } = found;
  const result = await answer(
    context,
    kind,
    () => {
      if (!source) throw new SourceError('the connector was deleted');
      return context.openConnector(source);
    },
    settings.probeMs,
  );
  await database.transaction(tenantId, (tx) => endProbe(tx, tenantId, id, result));
}

async function answer(
  { log }: SyncContext,
  kind: ProbeKind,
  openConnector: () => Connector,
  withinMs: number,
): Promise<ProbeResult> {
  const stop = new AbortController();
  const tooLate = new SourceError(`the source gave no answer within ${withinMs / 1_000} seconds`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stop.abort(tooLate);
      reject(tooLate);
    }, withinMs);
  });
  try {
    const connector = openConnector();
    const look = kind === 'test' ? firstRecords(connector, stop.signal) : fieldsOf(connector, stop.signal);
    return await Promise.race([look, late]);
  } catch (error) {
    if (error instanceof SourceError) return { error: error.message };
    log.error(`a probe failed: ${error instanceof Error ? error.stack : String(error)}`);
    return { error: 'internal error; the log of the worker says more' };
  } finally {
    clearTimeout(timer);
    stop.abort(tooLate);
  }
}

async function firstRecords(connector: Connector, signal: AbortSignal): Promise<ProbeResult> {
  const records: Page['records'] = [];
  const errors: Page['errors'] = [];
  for await (const page of connector.read({ pageSize: shown, signal })) {
    records.push(...page.records);
    errors.push(...page.errors);
    if (records.length + errors.length >= shown) break;
  }
  return {
    records: records.slice(0, shown),
    errors: errors
      .slice(0, shown)
      .map(({ external_id, message }) => ({ ...(external_id && { external_id }), message })),
  };
}

async function fieldsOf(connector: Connector, signal: AbortSignal): Promise<ProbeResult> {
  if (!connector.discover) throw new SourceError('connectors of this type cannot tell what there is to map');
  return { fields: await connector.discover(signal) };
}
