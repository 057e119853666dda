import { type EntraConfig, entraFields, type RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Connector,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { findByFullRead, foundIn } from '../find-by-full-read.js';
import { ApiClient } from '../http/api-client.js';
import { type ApiAccess, mapItems, onTransport, parseCursor, secretOf, withTransport } from '../http/api-source.js';
import { getOne } from '../http/get-one.js';
import type { HttpTransport } from '../http/http-transport.js';
import { listIn } from '../http/paging.js';
import { listPlace, readList } from '../http/read-list.js';
import { clientCredentials } from '../http/renewed-token.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import { isObject, scalarText, valueAt } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { collectionOf, isWanted, propertyOf } from './entra-objects.js';
import { askDelta, type DeltaQuery, deltaLinkOfNow } from './graph-delta.js';
import { type Related, relatedTo } from './graph-related.js';

const entraCursor = listPlace.extend({
  /** In a full read: the delta link for changes since its start. */
  checkpoint: z.string().optional(),
});
const entraCheckpoint = z.object({ link: z.string().min(1) });
const discovered = 20;
const notFound = 'Request_ResourceNotFound';

/**
 * Creates a connector for users of a Microsoft Entra ID tenant, or for its service principals as machine identities.
 */
export function entraConnector(records: RecordKind, config: EntraConfig, access: ApiAccess): Connector {
  const fields = config.fields ?? entraFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const { collection, properties, needed, related } = collectionOf(records);
  for (const name of names.filter((name) => name.startsWith('@'))) {
    if (!related.includes(name))
      throw new SourceError(`"${name}" is not available for records of this kind`, 'misconfigured');
  }
  const own = names.filter((name) => !name.startsWith('@'));
  const valuesOf = jsonReader(own);
  const select = [...new Set(['id', ...needed, ...own.map(propertyOf)])];
  // Related data changes without the object, and deletions are reported by id only.
  const reportsChanges = own.length === names.length && config.external_id === 'id';

  async function* read(
    { since, cursor, pageSize, signal }: ReadOptions,
    transport: HttpTransport,
  ): AsyncGenerator<Page> {
    const client = clientOf(transport, config, access);
    const query: DeltaQuery = { client, collection, select, signal };
    const left = cursor && parseCursor(entraCursor, cursor);
    if (since && !reportsChanges) throw new CheckpointExpired('this mapping does not support incremental reads');
    const begin = since ? parseCursor(entraCheckpoint, since).link : '';
    // The delta link dates from before the read, so that the next incremental read reports changes during it.
    const checkpoint = since || !reportsChanges ? undefined : (left?.checkpoint ?? (await deltaLinkOfNow(query)));

    for await (const { items, place, answer, last } of readList(
      (next) => askDelta(query, next || begin),
      { pageSize, signal },
      left,
    )) {
      const { there, gone } = finalRecords(items, (object) => isWanted(object, config));
      const page: Page = {
        ...(await mapped(there, place.seen - items.length + 1, { client, transport, signal })),
        cursor: { ...place, ...(checkpoint !== undefined && { checkpoint }) },
        ...(since && { removed: gone }),
        last,
      };
      const link = checkpoint ?? answer.deltaLink;
      if (last && reportsChanges && link !== undefined) page.checkpoint = { link };
      yield page;
    }
  }

  async function mapped(
    there: readonly unknown[],
    line: number,
    { client, transport, signal }: { client: ApiClient; transport: HttpTransport; signal: AbortSignal },
  ) {
    const budget = new WaitBudget(transport.limits.waitMs);
    const requests = client.page(signal, budget);
    const about = { requests, budget, limits: transport.limits, signal };
    const related = await relatedTo(about, names, there, config.tenant_id);
    const values = new Map(there.map((object, index) => [object, valuesIn(object, related[index])]));
    return mapItems(there, line, mapping, (object) => values.get(object) ?? (() => []));
  }

  async function readOne(externalId: string, signal: AbortSignal, transport: HttpTransport): Promise<FoundRecord> {
    const client = clientOf(transport, config, access);
    const query = { $select: select.join(',') };
    const path = `${collection}/${encodeURIComponent(externalId)}`;
    const answer = await getOne(
      client.page(signal),
      path,
      { reason: notFound, query, shownAs: `${collection}/{id}` },
      async () => {
        listIn(await client.page(signal).get(collection, { query: { $select: 'id', $top: 1 } }), 'value');
      },
    );
    // The endpoint also accepts user names, which are not ids.
    const there = answer === undefined ? [] : [answer.body].filter((object) => isWanted(object, config));
    return foundIn(await mapped(there, 0, { client, transport, signal }), externalId);
  }

  function valuesIn(object: unknown, related: Related | undefined) {
    const inside = valuesOf(object);
    return (name: string) => (name.startsWith('@') ? (related?.get(name) ?? []) : inside(name));
  }

  const readAll = (options: ReadOptions) =>
    withTransport(access, (transport) => withoutExpiry(read(options, transport), options));
  return {
    reportsChanges,
    reportsDeletions: true,
    read: readAll,
    readOne: (externalId, signal) =>
      config.external_id === 'id'
        ? onTransport(access, (transport) => readOne(externalId, signal, transport))
        : findByFullRead(readAll, externalId, signal),
    discover: (signal) =>
      onTransport(access, async (transport) => {
        const query = { $select: properties.join(','), $top: discovered };
        const answer = await clientOf(transport, config, access).page(signal).get(collection, { query });
        return [...jsonFields(listIn(answer, 'value')), ...related.map((name) => ({ name, examples: [] }))];
      }),
  };
}

function clientOf(transport: HttpTransport, config: EntraConfig, access: ApiAccess): ApiClient {
  const auth = clientCredentials(transport, {
    tokenUrl: `${config.login_url.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(config.tenant_id)}/oauth2/v2.0/token`,
    clientId: config.client_id,
    clientSecret: secretOf(access, 'client_secret'),
    scope: `${new URL(config.url).origin}/.default`,
    send: 'form',
  });
  return new ApiClient(transport, { baseUrl: `${config.url.replace(/(?<!\/)\/+$/, '')}/v1.0`, auth });
}

/** Returns the last state of each object of a page: present, or gone if it was deleted or is no longer selected. */
function finalRecords(
  items: readonly unknown[],
  wanted: (object: unknown) => boolean,
): { there: unknown[]; gone: string[] } {
  const there = new Map<string, unknown>();
  const gone = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = scalarText(valueAt(item, 'id'));
    // An object without an id becomes a record error.
    const key = id ?? `\0${index}`;
    there.delete(key);
    gone.delete(key);
    if (isObject(valueAt(item, '@removed')) || !wanted(item)) {
      if (id !== undefined) gone.add(id);
    } else there.set(key, item);
  }
  return { there: [...there.values()], gone: [...gone] };
}

/** Converts an expiry during a full read to SourceError, because it affects a page cursor and not a checkpoint. */
async function* withoutExpiry(pages: AsyncIterable<Page>, { since }: ReadOptions): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    if (since || !(error instanceof CheckpointExpired)) throw error;
    throw new SourceError(`${error.message}: its page cursor has expired, so a new full read is necessary`, 'changed');
  }
}
