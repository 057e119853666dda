import type { RecordError } from '@idsync/contracts';
import { type Connector, type FoundRecord, type Page, SourceError } from './connector.js';

const pageSize = 1_000;

/**
 * Reads everything to tell of one record: where a source cannot be asked for one, or not by what names it, or where nothing less
 * would prove that it is not there. The last word counts, as in a run.
 */
export async function lookThrough(
  read: Connector['read'],
  externalId: string,
  signal: AbortSignal,
): Promise<FoundRecord> {
  let found: FoundRecord = 'absent';
  let unnamed = 0;
  for await (const { records, errors } of read({ pageSize, signal })) {
    const record = records.findLast(({ external_id }) => external_id === externalId);
    const error = errors.findLast(({ external_id }) => external_id === externalId);
    // What can be used is applied, whatever else goes by the same name.
    if (record) found = { record };
    else if (error && (found === 'absent' || 'error' in found)) found = { error };
    unnamed += errors.filter(couldBeAnybody).length;
  }
  if (found === 'absent') requireNamed(unnamed);
  return found;
}

/** What an answer for one record says of it. It has no lines, and may hold others whose ids are only alike. */
export function foundIn({ records, errors }: Pick<Page, 'records' | 'errors'>, externalId: string): FoundRecord {
  const record = records.findLast(({ external_id }) => external_id === externalId);
  if (record) return { record };
  const error = errors.findLast(({ external_id }) => external_id === externalId);
  return error ? { error: { external_id: externalId, message: error.message } } : 'absent';
}

/** Throws where records without an id could be the one that was not found. */
export function requireNamed(unnamed: number): void {
  if (unnamed === 0) return;
  const records = unnamed === 1 ? '1 record without an id' : `${unnamed} records without an id`;
  throw new SourceError(`it was not found, but ${records} could be it`);
}

function couldBeAnybody({ external_id, hides_others }: RecordError): boolean {
  return external_id === undefined || hides_others === true;
}
