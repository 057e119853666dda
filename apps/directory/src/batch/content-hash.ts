import { hash } from 'node:crypto';
import type { SourceRecord } from '@idsync/contracts';
import { distinct } from '../shared/collections.js';

/**
 * Increase it when what is stored for reading changes: documents, search terms or terms of lists. The next full run of
 * each source then applies every record again.
 */
const engineVersion = 2;

/**
 * Returns a 16-byte hash that changes if applying the record again could change anything. The order of values and
 * repeated values do not count.
 */
export function contentHash(record: SourceRecord): Buffer {
  let text = `${engineVersion}`;
  for (const field of Object.keys(record.fields).sort()) {
    text += `\0${field}`;
    const values = record.fields[field] ?? [];
    if (values.length === 1) text += `\x01${values[0]}`;
    else for (const value of distinct(values).sort()) text += `\x01${value}`;
  }
  for (const id of distinct((record.memberships ?? []).map((each) => each.id)).sort()) text += `\x03${id}`;
  for (const field of distinct(record.kept ?? []).sort()) text += `\x02${field}`;
  return hash('sha256', text, 'buffer').subarray(0, 16);
}
