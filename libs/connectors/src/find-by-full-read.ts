import { countingRows, type RecordError } from '@idsync/contracts';
import { type Connector, type FoundRecord, type Page, type ReadRecord, SourceError } from './connector.js';

const pageSize = 1_000;

/**
 * Finds one record by a full read: for sources that cannot read a single record, or not by its id, or where only a full
 * read proves that it is absent. The same row of the id counts as in a sync job.
 */
export async function findByFullRead(
  read: Connector['read'],
  externalId: string,
  signal: AbortSignal,
): Promise<FoundRecord> {
  let found: FoundRecord = 'absent';
  let unnamed = 0;
  for await (const { records, errors } of read({ pageSize, signal })) {
    const earlier = found !== 'absent' && 'record' in found ? [found.record] : [];
    const record = countingRow([...earlier, ...records], externalId);
    const error = errors.findLast(({ external_id }) => external_id === externalId);
    // A usable record takes precedence over an unusable one with the same id.
    if (record) found = { record };
    else if (error && (found === 'absent' || 'error' in found)) found = { error };
    unnamed += errors.filter(couldBeAnyRecord).length;
  }
  if (found === 'absent') requireNoUnnamed(unnamed);
  return found;
}

/**
 * Finds a record in the response for one record, which may contain others with similar ids. Removes the line numbers.
 */
export function foundIn({ records, errors }: Pick<Page, 'records' | 'errors'>, externalId: string): FoundRecord {
  const record = countingRow(records, externalId);
  if (record) return { record };
  const error = errors.findLast(({ external_id }) => external_id === externalId);
  if (!error) return 'absent';
  const { message, said } = error;
  return { error: { external_id: externalId, message, ...(said !== undefined && { said }) } };
}

function countingRow(records: readonly ReadRecord[], externalId: string): ReadRecord | undefined {
  const rows = records.filter(({ external_id }) => external_id === externalId);
  return countingRows(rows, new Date()).counting[0];
}

/** Throws if records without an id could be the record that was not found. */
export function requireNoUnnamed(unnamed: number): void {
  if (unnamed === 0) return;
  const records = unnamed === 1 ? '1 record without an id' : `${unnamed} records without an id`;
  throw new SourceError(`the record was not found, but ${records} could be this record`, 'incomplete');
}

function couldBeAnyRecord({ external_id, hides_others }: RecordError): boolean {
  return external_id === undefined || hides_others === true;
}
