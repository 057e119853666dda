import { type Connector, divideRecord, type Page, SourceError } from '@idsync/connectors';
import {
  type Message,
  machineAttributeField,
  type ProbeKind,
  type ProbeResult,
  type SourceRecord,
  visibleText,
} from '@idsync/contracts';
import { endProbe, findJobSource, findOpenProbe, type JobSource } from '@idsync/database/sync';
import { withTimeout } from '@idsync/runtime';
import type { SyncContext } from './sync-context.js';

/** Number of records in the result of a test. */
const shown = 5;
/** Number of records that a test reads to find fields without values. */
const sampled = 100;

/** Reads a few records of a source and stores the result. A killed probe runs again when its message is redelivered. */
export async function runProbe(
  context: SyncContext,
  { tenant_id: tenantId, data }: Message<'connector.probe.requested'>,
): Promise<void> {
  const { database } = context;
  const found = await database.transaction(tenantId, async (tx) => {
    const probe = await findOpenProbe(tx, data.probe_id);
    return probe && { ...probe, source: await findJobSource(tx, probe.connectorId) };
  });
  if (!found) return;
  const { id, kind, source } = found;
  const result = await answer(context, kind, source);
  await database.transaction(tenantId, (tx) => endProbe(tx, id, result));
}

async function answer(
  { log, openConnector, settings: { probeMs } }: SyncContext,
  kind: ProbeKind,
  source: JobSource | undefined,
): Promise<ProbeResult> {
  const stop = new AbortController();
  const tooLate = new SourceError(`the source did not respond within ${probeMs / 1_000} seconds`, 'timed_out');
  try {
    if (!source) throw new SourceError('the connector was deleted', 'misconfigured');
    const connector = openConnector(source);
    const reading = kind === 'test' ? firstRecords(connector, stop.signal) : fieldsOf(connector, stop.signal);
    const result = await withTimeout<ProbeResult | undefined>(probeMs, reading, undefined);
    if (!result) throw tooLate;
    return result;
  } catch (error) {
    if (error instanceof SourceError)
      return { error: error.message, error_code: error.code, source_message: error.said };
    log.error({ err: error }, 'probe failed');
    return { error: 'internal error; see the log of the worker' };
  } finally {
    stop.abort(tooLate);
  }
}

async function firstRecords(connector: Connector, signal: AbortSignal): Promise<ProbeResult> {
  const read: Page['records'] = [];
  const records: SourceRecord[] = [];
  const errors: Page['errors'] = [];
  for await (const page of connector.read({ pageSize: sampled, signal })) {
    const listed = page.records.filter(isNoMachineOfPeople);
    const divided = listed.map(divideRecord);
    read.push(...listed);
    records.push(...divided.map(({ record }) => record));
    errors.push(...page.errors, ...divided.flatMap((one) => one.errors));
    if (records.length + errors.length >= shown) break;
  }
  const { warnings = [], ...source } = (await connector.describe?.(signal)) ?? {};
  const missing = fieldsWithoutValue(records).map(
    (field) => `none of the first ${records.length} records has a value for ${field}`,
  );
  const all = [...warnings, ...refusedValues(errors, records.length), ...invisibleValues(read), ...missing];
  return {
    ...(Object.keys(source).length > 0 && { source }),
    ...(all.length > 0 && { warnings: all }),
    records: records.slice(0, shown).map(({ line: _, ...record }) => record),
    errors: errors
      .slice(0, shown)
      .map(({ line, external_id, message, said }) => ({ line, external_id, message, source_message: said })),
  };
}

/** Counts the values that their fields do not allow. Without a usable status, the record is left out. */
function refusedValues(errors: Page['errors'], records: number): string[] {
  const total = records + errors.filter(({ field }) => field === undefined).length;
  const refused = new Map<string, { count: number; example: string }>();
  for (const { field = 'status', message, said } of errors) {
    if (said === undefined || !message.startsWith(`${field} `)) continue;
    const known = refused.get(message) ?? { count: 0, example: said };
    refused.set(message, { ...known, count: known.count + 1 });
  }
  return [...refused].map(
    ([message, { count, example }]) =>
      `${count} of the first ${total} records: ${message}, but for example ${JSON.stringify(example)}`,
  );
}

/** Counts the external ids that are not in their normal form, and the values with invisible characters. */
function invisibleValues(records: Page['records']): string[] {
  const spelled = records.filter(({ spelling }) => spelling !== undefined);
  const found = new Map<string, string[]>();
  for (const { fields } of records) {
    for (const [field, values] of Object.entries(fields)) {
      const hidden = values.map(visibleText).find((text, nth) => text !== values[nth]);
      if (hidden !== undefined) found.set(field, [...(found.get(field) ?? []), hidden]);
    }
  }
  const ids = spelled.slice(0, 1).map(({ external_id, spelling = '' }) => {
    const example = `${JSON.stringify(visibleText(spelling))} is read as ${JSON.stringify(external_id)}`;
    return `${spelled.length} of the first ${records.length} records: external_id has invisible or unusual characters, for example ${example}`;
  });
  const values = [...found].map(
    ([field, [example, ...more]]) =>
      `${more.length + 1} of the first ${records.length} records: ${field} has invisible characters, for example ${JSON.stringify(example)}`,
  );
  return [...ids, ...values];
}

/** A run leaves such a person or account out unless it is known. */
function isNoMachineOfPeople({ looksLikeMachine, fields }: Page['records'][number]): boolean {
  return !looksLikeMachine || !(machineAttributeField in fields);
}

/** A field that could not be read has a value. */
function fieldsWithoutValue(records: readonly SourceRecord[]): string[] {
  const fields = new Set(records.flatMap((record) => Object.keys(record.fields)));
  return [...fields].filter((field) =>
    records.every((record) => record.fields[field]?.length === 0 && !record.kept?.includes(field)),
  );
}

async function fieldsOf(connector: Connector, signal: AbortSignal): Promise<ProbeResult> {
  if (!connector.discover) throw new SourceError('this type of connector cannot discover fields', 'misconfigured');
  return { fields: await connector.discover(signal) };
}
