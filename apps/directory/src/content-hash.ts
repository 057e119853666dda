import { hash } from 'node:crypto';
import type { SourceRecord } from '@idsync/contracts';

/** Anything else that a record's outcome depends on; raise it when the engine's rendering changes. */
const engineVersion = 1;

/** Tells whether applying a record again could change anything. 16 bytes. */
export function contentHash(record: SourceRecord): Buffer {
  let text = `${engineVersion}`;
  for (const field of Object.keys(record.fields).sort()) {
    text += `\0${field}`;
    for (const value of record.fields[field] ?? []) text += `\x01${value}`;
  }
  return hash('sha256', text, 'buffer').subarray(0, 16);
}
