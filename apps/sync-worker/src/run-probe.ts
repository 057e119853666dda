import { type Connector, divideRecord, type Page, SourceError } from '@idsync/connectors';
import type { Message, ProbeKind, ProbeResult } from '@idsync/contracts';
import { endProbe, findJobSource, findOpenProbe } from '@idsync/database/sync';
import { withTimeout } from '@idsync/runtime';
import type { SyncContext } from './sync-context.js';

/** Number of records in the result of a test. */
const shown = 5;

/** Reads a few records of a source and stores the result. A killed probe runs again when its message is redelivered. */
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
      if (!source) throw new SourceError('the connector was deleted', { code: 'misconfigured' });
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
  const tooLate = new SourceError(`the source did not respond within ${withinMs / 1_000} seconds`, {
    code: 'timed_out',
  });
  try {
    const connector = openConnector();
    const reading = kind === 'test' ? firstRecords(connector, stop.signal) : fieldsOf(connector, stop.signal);
    const result = await withTimeout<ProbeResult | undefined>(withinMs, reading, undefined);
    if (!result) throw tooLate;
    return result;
  } catch (error) {
    if (error instanceof SourceError) return shownError(error);
    log.error({ err: error }, 'probe failed');
    return { error: 'internal error; see the log of the worker' };
  } finally {
    stop.abort(tooLate);
  }
}

function shownError({ message, code, said }: SourceError): ProbeResult {
  return { error: message, error_code: code, ...(said !== undefined && { source_message: said }) };
}

async function firstRecords(connector: Connector, signal: AbortSignal): Promise<ProbeResult> {
  const records: Page['records'] = [];
  const errors: Page['errors'] = [];
  for await (const page of connector.read({ pageSize: shown, signal })) {
    const divided = page.records.map(divideRecord);
    records.push(...divided.map(({ record }) => record));
    errors.push(...page.errors, ...divided.flatMap((one) => one.errors));
    if (records.length + errors.length >= shown) break;
  }
  return {
    records: records.slice(0, shown),
    errors: errors.slice(0, shown).map(({ external_id, message, said }) => ({
      ...(external_id && { external_id }),
      message,
      ...(said !== undefined && { source_message: said }),
    })),
  };
}

async function fieldsOf(connector: Connector, signal: AbortSignal): Promise<ProbeResult> {
  if (!connector.discover)
    throw new SourceError('this type of connector cannot discover fields', { code: 'misconfigured' });
  return { fields: await connector.discover(signal) };
}
