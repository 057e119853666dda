import type { RecordError, SourceRecord } from '@idsync/contracts';
import type { z } from 'zod';
import { type Cursor, SourceError } from '../connector.js';
import { type Mapping, mapRecord } from '../map-record.js';
import type { HttpLimits } from './http-limits.js';
import { HttpTransport } from './http-transport.js';

/** What a connector of an API is given beside its configuration. */
export interface ApiAccess {
  secrets: Readonly<Record<string, string>>;
  allowedCidrs: readonly string[];
  limits?: Partial<HttpLimits>;
}

/** Reads with a transport of its own, which is closed however reading ends. */
export async function* withTransport<T>(
  { allowedCidrs, limits }: ApiAccess,
  read: (transport: HttpTransport) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const transport = new HttpTransport({ allowedCidrs, limits });
  try {
    yield* read(transport);
  } finally {
    await transport.close();
  }
}

/** Asks with a transport of its own. */
export async function onTransport<T>(
  { allowedCidrs, limits }: ApiAccess,
  ask: (transport: HttpTransport) => Promise<T>,
): Promise<T> {
  const transport = new HttpTransport({ allowedCidrs, limits });
  try {
    return await ask(transport);
  } finally {
    await transport.close();
  }
}

/** One of the secrets; throws SourceError if it is not there. */
export function secretOf({ secrets }: ApiAccess, name: string): string {
  const value = secrets[name];
  if (value === undefined || value === '') throw new SourceError(`the secret "${name}" is missing`);
  return value;
}

/** A cursor or checkpoint as this connector writes it; throws SourceError for another. */
export function understood<T>(schema: z.ZodType<T>, cursor: Cursor): T {
  const parsed = schema.safeParse(cursor);
  if (!parsed.success) throw new SourceError('the place where reading was left is not one of this source');
  return parsed.data;
}

/** The records of a page's items, the last word of each that comes twice. `firstLine` is the place of the first in the list. */
export function mapItems<Item>(
  items: readonly Item[],
  firstLine: number,
  mapping: Mapping,
  valuesOf: (item: Item) => (name: string) => readonly string[],
): { records: SourceRecord[]; errors: RecordError[] } {
  const records = new Map<string, SourceRecord>();
  const errors: RecordError[] = [];
  for (const [index, item] of items.entries()) {
    const mapped = mapRecord(mapping, valuesOf(item));
    if ('record' in mapped) {
      records.delete(mapped.record.external_id);
      records.set(mapped.record.external_id, mapped.record);
    } else errors.push({ line: firstLine + index, ...mapped.error });
  }
  return { records: [...records.values()], errors };
}
