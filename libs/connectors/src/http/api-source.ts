import type { RecordError } from '@idsync/contracts';
import type { z } from 'zod';
import { type Cursor, type ReadRecord, SourceError } from '../connector.js';
import { type Mapping, mapRecordAt } from '../map-record.js';
import type { HttpLimits } from './http-limits.js';
import { HttpTransport } from './http-transport.js';

/** The access of an API connector beside its configuration. */
export interface ApiAccess {
  /** Decrypted secrets. */
  secrets: Readonly<Record<string, string | undefined>>;
  /** Private networks that connectors may call. */
  allowedCidrs: readonly string[];
  limits?: Partial<HttpLimits>;
  /** Certificate authorities in PEM that are trusted instead of the default ones. */
  ca?: string | undefined;
}

/** Reads with a new transport and closes it in every case. */
export async function* withTransport<T>(
  { allowedCidrs, limits, ca }: ApiAccess,
  read: (transport: HttpTransport) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const transport = new HttpTransport({ allowedCidrs, limits, ca });
  try {
    yield* read(transport);
  } finally {
    await transport.close();
  }
}

/** Sends requests with a new transport and closes it. */
export async function onTransport<T>(
  { allowedCidrs, limits, ca }: ApiAccess,
  ask: (transport: HttpTransport) => Promise<T>,
): Promise<T> {
  const transport = new HttpTransport({ allowedCidrs, limits, ca });
  try {
    return await ask(transport);
  } finally {
    await transport.close();
  }
}

/** Returns a secret; throws SourceError if it is missing. */
export function secretOf({ secrets }: Pick<ApiAccess, 'secrets'>, name: string): string {
  const value = secrets[name];
  if (value === undefined || value === '') throw new SourceError(`the secret "${name}" is missing`, 'misconfigured');
  return value;
}

/** Validates a cursor or checkpoint; throws SourceError if this connector did not write it. */
export function parseCursor<T>(
  schema: z.ZodType<T>,
  cursor: Cursor,
  message = 'the cursor does not belong to this source',
): T {
  const parsed = schema.safeParse(cursor);
  if (!parsed.success) throw new SourceError(message, 'changed');
  return parsed.data;
}

/**
 * Maps the items of a page. The last item of an id counts. `firstLine` is the position of the first item in the list.
 */
export function mapItems<Item>(
  items: readonly Item[],
  firstLine: number,
  mapping: Mapping,
  valuesOf: (item: Item) => (name: string) => readonly string[],
): { records: ReadRecord[]; errors: RecordError[] } {
  const records = new Map<string, ReadRecord>();
  const errors: RecordError[] = [];
  for (const [index, item] of items.entries()) {
    const mapped = mapRecordAt(firstLine + index, mapping, valuesOf(item));
    if ('record' in mapped) {
      records.delete(mapped.record.external_id);
      records.set(mapped.record.external_id, mapped.record);
    } else errors.push(mapped.error);
  }
  return { records: [...records.values()], errors };
}
