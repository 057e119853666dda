import type { RecordError } from '@idsync/contracts';
import type { z } from 'zod';
import {
  type Connector,
  type Cursor,
  type FoundRecord,
  type Page,
  type ReadOptions,
  type ReadRecord,
  SourceError,
  type SourceField,
} from '../connector.js';
import { findByFullRead } from '../find-by-full-read.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { type Mapping, mapRecordAt, type ValuesOf } from '../map-record.js';
import type { ApiAnswer, ApiRequest, PageRequests } from './api-client.js';
import { StatusError } from './failures.js';
import { type HttpLimits, HttpTransport } from './http-transport.js';

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

/** Sends requests with a new transport and closes it. */
export async function onTransport<T>(
  { allowedCidrs, limits, ca }: Omit<ApiAccess, 'secrets'>,
  ask: (transport: HttpTransport) => Promise<T>,
): Promise<T> {
  const transport = new HttpTransport({ allowedCidrs, limits, ca });
  try {
    return await ask(transport);
  } finally {
    await transport.close();
  }
}

interface ApiSource<Client> extends Pick<Connector, 'reportsChanges' | 'reportsDeletions'> {
  access: ApiAccess;
  /** Creates the client of each read and request, with its connections. */
  connect(transport: HttpTransport): Client;
  read(client: Client, options: ReadOptions): AsyncIterable<Page>;
  /** Requests one record. Returns undefined if only a full read can find it; always, if absent. */
  requestOne?: ((client: Client, externalId: string, signal: AbortSignal) => Promise<FoundRecord | undefined>) | false;
  discover(client: Client, signal: AbortSignal): Promise<SourceField[]>;
}

/** Creates a connector for an API. Each read and each request has its own connections, which are closed in every case. */
export function apiConnector<Client>(source: ApiSource<Client>): Connector & Required<Pick<Connector, 'readOne'>> {
  const { access, connect, read, requestOne, discover, ...reports } = source;
  async function* readAll(options: ReadOptions): AsyncGenerator<Page> {
    const { allowedCidrs, limits, ca } = access;
    const transport = new HttpTransport({ allowedCidrs, limits, ca });
    try {
      yield* read(connect(transport), options);
    } finally {
      await transport.close();
    }
  }
  return {
    ...reports,
    read: readAll,
    async readOne(externalId, signal) {
      const found =
        requestOne && (await onTransport(access, (transport) => requestOne(connect(transport), externalId, signal)));
      return found || findByFullRead(readAll, externalId, signal);
    },
    discover: (signal) => onTransport(access, (transport) => discover(connect(transport), signal)),
  };
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

/** Adds to the values of items what was read beside each of them, by names of the mapping. */
export function withRelated(
  valuesOf: (item: unknown) => ValuesOf,
  items: readonly unknown[],
  related: readonly ReadonlyMap<string, readonly string[]>[],
): (item: unknown) => ValuesOf {
  const relatedTo = new Map(items.map((item, index) => [item, related[index]]));
  return (item) => {
    const own = valuesOf(item);
    return (name) => relatedTo.get(item)?.get(name) ?? own(name);
  };
}

/**
 * Maps the items of a page. The last item of an id counts. `firstLine` is the position of the first item in the list.
 */
export function mapItems<Item>(
  items: readonly Item[],
  firstLine: number,
  mapping: Mapping,
  valuesOf: (item: Item) => ValuesOf,
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

/**
 * GETs one object; undefined if the service reports that it does not exist. A 404 counts only if it has the given
 * `reason` and `prove` finds the right kind of service at the address, because a wrong address also answers 404.
 */
export async function getOne(
  requests: PageRequests,
  path: string,
  {
    reason,
    idName = 'id',
    ...request
  }: { reason?: string; idName?: string; query?: ApiRequest['query']; shownAs: string },
  prove: () => Promise<unknown>,
): Promise<ApiAnswer | undefined> {
  try {
    const answer = await requests.get(path, request);
    // A response of another kind does not prove that the object exists.
    if (scalarText(valueAt(answer.body, idName)) !== undefined) return answer;
    throw new SourceError(`${answer.from} answered with an object without an id`);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status !== 404) throw error;
    if (reason !== undefined && error.reason !== reason) throw error;
    await prove();
    return undefined;
  }
}
