import { SourceError } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard, listIn } from '../http/paging.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, valueAt } from '../json/json-value.js';

/** How often an inconsistent list is restarted. */
const maxRestarts = 3;

export interface ObjectQuery {
  path: string;
  /** The kind of the items, such as `Pod`. */
  kind: string;
  query?: Readonly<Record<string, string | undefined>>;
  /** Requests only metadata, so that contents of objects are not transferred. */
  metadataOnly?: boolean;
}

/** The position in a list of objects. */
export interface ListPlace {
  /** The continue token; absent at the beginning. */
  token?: string;
  /** The resource version that all chunks of a consistent list share. */
  version?: string;
  restarts: number;
  seen: number;
}

export interface ObjectChunk {
  items: JsonObject[];
  next?: ListPlace;
  remaining: number;
  from: string;
}

const metadataType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * Reads one chunk of a list. After an expired token or a changed resource version the list restarts, because an
 * inconsistent continuation would leave gaps.
 */
export async function readObjects(
  client: ApiClient,
  { path, kind, query, metadataOnly }: ObjectQuery,
  place: ListPlace,
  about: { limit: number; signal: AbortSignal; budget: WaitBudget },
): Promise<ObjectChunk> {
  const requests = client.page(about.signal, about.budget);
  const answer = await requests
    .get(path, {
      query: { ...query, limit: about.limit, continue: place.token },
      ...(metadataOnly && { headers: { accept: metadataType } }),
    })
    .catch((error: unknown) => {
      if (error instanceof StatusError && error.status === 410 && place.token !== undefined) return error;
      throw error;
    });
  if (answer instanceof StatusError) return again(place, path, answer.message);
  const expected = metadataOnly ? 'PartialObjectMetadataList' : `${kind}List`;
  if (valueAt(answer.body, 'kind') !== expected) throw new SourceError(`${answer.from} did not return a ${expected}`);
  const items = listIn(answer, 'items');
  const metadata = valueAt(answer.body, 'metadata');
  const version = valueAt(metadata, 'resourceVersion');
  const token = valueAt(metadata, 'continue');
  const left = valueAt(metadata, 'remainingItemCount');
  if (typeof version !== 'string' || version === '') {
    throw new SourceError(`${answer.from} answered without metadata.resourceVersion, so it is not a Kubernetes list`);
  }
  if (place.version !== undefined && place.version !== version) {
    return again(place, answer.from, `${answer.from} continued with another version of its list`);
  }
  const hasNext = typeof token === 'string' && token !== '';
  const remaining = typeof left === 'number' ? left : 0;
  if (!hasNext && remaining > 0) {
    throw new SourceError(
      `${answer.from} reported ${remaining} more items without a continue token, so the list is incomplete`,
      'incomplete',
    );
  }
  const seen = place.seen + items.length;
  const next = { token: String(token), version, restarts: place.restarts, seen };
  return { items: items.map(asObject), ...(hasNext && { next }), remaining, from: answer.from };
}

export const firstPlace: ListPlace = { restarts: 0, seen: 0 };

/** Reads a complete list and passes each object to `take`. */
export async function forEachObject(
  client: ApiClient,
  query: ObjectQuery,
  about: { limit: number; signal: AbortSignal; budget: WaitBudget },
  begin: () => void,
  take: (item: JsonObject) => void,
): Promise<void> {
  const loopGuard = new LoopGuard();
  let restarts = -1;
  for (let place: ListPlace | undefined = firstPlace; place; ) {
    if (place.restarts !== restarts) begin();
    restarts = place.restarts;
    const chunk: ObjectChunk = await readObjects(client, query, place, about);
    chunk.items.forEach(take);
    place = chunk.next;
    if (place?.token !== undefined) loopGuard.pass(place.token, chunk.from);
  }
}

function again({ restarts }: ListPlace, from: string, why: string): ObjectChunk {
  if (restarts >= maxRestarts) {
    throw new SourceError(`${why}; the list could not be read completely in ${restarts + 1} attempts`, 'incomplete');
  }
  return { items: [], next: { restarts: restarts + 1, seen: 0 }, remaining: 0, from };
}

function asObject(item: unknown): JsonObject {
  return isObject(item) ? item : {};
}
