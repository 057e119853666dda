import { type KubernetesConfig, kubernetesFields } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { secretOf } from '../http/api-source.js';
import { bearer } from '../http/authentication.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard, listIn } from '../http/paging.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import {
  type Chunk,
  type ChunkRequest,
  type Listing,
  type ListingAccess,
  listingConnector,
  type Place,
} from '../listing/listing-connector.js';
import { sourceNames } from '../transform.js';

const maxLimit = 500;

/** Creates a connector for the service accounts of a cluster or of some namespaces. */
export function kubernetesConnector(config: KubernetesConfig, access: ListingAccess): Connector {
  if (access.records !== 'machine_identity')
    throw new SourceError('connectors of type kubernetes support machine identities only', 'misconfigured');
  const { url, ca, external_id: externalId, fields = kubernetesFields, namespaces } = config;
  const auth = bearer(secretOf(access, 'token'));
  const bases = namespaces?.map((name) => `/api/v1/namespaces/${name}`) ?? ['/api/v1'];
  const names = sourceNames({ external_id: externalId, fields }).join(' ');
  const wanted = {
    // Pods and tokens are only read if they are mapped.
    pods: config.pods && names.includes('@pods'),
    tokens: config.token_secrets && /@tokens|@secret_created_at/.test(names),
    selector: config.label_selector,
  };
  return listingConnector({
    access: { ...access, ca },
    mapping: { externalId, fields },
    listings: (transport) => {
      const client = new ApiClient(transport, { baseUrl: url, auth });
      return bases.map((base) => serviceAccounts(client, base, wanted));
    },
  });
}

interface Usage {
  pods: Map<string, number> | undefined;
  tokens: Map<string, NamedToken[]> | undefined;
}

function serviceAccounts(
  client: ApiClient,
  base: string,
  wanted: { pods: boolean; tokens: boolean; selector: string | undefined },
): Listing {
  let usage: Usage | undefined;
  return {
    name: base,
    async read({ at, limit, signal, budget }: ChunkRequest): Promise<Chunk> {
      const about = { client, base, signal, budget };
      usage ??= {
        pods: wanted.pods ? await countPods(about) : undefined,
        tokens: wanted.tokens ? await nameTokens(about) : undefined,
      };
      const query = {
        path: `${base}/serviceaccounts`,
        kind: 'ServiceAccount',
        query: { labelSelector: wanted.selector },
      };
      const place = at ? (at as unknown as ListPlace) : firstPlace;
      const bounded = { limit: Math.min(limit, maxLimit), signal, budget };
      const { items, next, remaining, from } = await readObjects(client, query, place, bounded);
      const seen = place.seen + items.length;
      return {
        documents: items.map((item) => asDocument(item, usage)),
        ...(next && { next: { ...next } as Place }),
        ...(remaining > 0 && { fraction: seen / (seen + remaining) }),
        from,
      };
    },
  };
}

/** Combines a service account with its usage. */
function asDocument(account: JsonObject, usage: Usage | undefined): JsonObject {
  const metadata = valueAt(account, 'metadata');
  const namespace = textAt(metadata, 'namespace') ?? '';
  const name = textAt(metadata, 'name') ?? '';
  const tokens = usage?.tokens?.get(textAt(metadata, 'uid') ?? '') ?? [];
  const oldest = tokens.flatMap(({ createdAt }) => createdAt ?? []).sort()[0];
  return {
    ...account,
    '@username': `system:serviceaccount:${namespace}:${name}`,
    ...(usage?.pods && { '@pods': usage.pods.get(accountKey(namespace, name)) ?? 0 }),
    ...(usage?.tokens && { '@tokens': tokens }),
    ...(oldest !== undefined && { '@secret_created_at': oldest }),
  };
}

/** How often an inconsistent list is restarted. */
const maxRestarts = 3;

interface ObjectQuery {
  path: string;
  /** The kind of the items, such as `Pod`. */
  kind: string;
  query?: Readonly<Record<string, string | undefined>>;
  /** Requests only metadata, so that contents of objects are not transferred. */
  metadataOnly?: boolean;
}

/** The position in a list of objects. */
interface ListPlace {
  /** The continue token; absent at the beginning. */
  token?: string;
  /** The resource version that all chunks of a consistent list share. */
  version?: string;
  restarts: number;
  seen: number;
}

interface ObjectChunk {
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
async function readObjects(
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

const firstPlace: ListPlace = { restarts: 0, seen: 0 };

/** Reads a complete list and passes each object to `take`. */
async function forEachObject(
  { client, base, ...bounds }: About,
  { path, ...query }: ObjectQuery,
  begin: () => void,
  take: (item: JsonObject) => void,
): Promise<void> {
  const listed = { ...query, path: base + path };
  const loopGuard = new LoopGuard();
  let restarts = -1;
  for (let place: ListPlace | undefined = firstPlace; place; ) {
    if (place.restarts !== restarts) begin();
    restarts = place.restarts;
    const chunk: ObjectChunk = await readObjects(client, listed, place, { ...bounds, limit: chunkSize });
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

/** Page size for pods and secrets; a pod has about ten kilobytes. */
const chunkSize = 500;
/** Maximum number of token names in memory, about 100 MB. */
const maxTokens = 500_000;

/** Name and age of a long-lived token, without its value. */
interface NamedToken {
  name: string;
  createdAt: string | undefined;
}

interface About {
  client: ApiClient;
  /** `/api/v1`, or the path of one namespace. */
  base: string;
  signal: AbortSignal;
  budget: WaitBudget;
}

/** Counts the unfinished pods of each service account, by `accountKey`. */
async function countPods(about: About): Promise<Map<string, number>> {
  const pods = new Map<string, number>();
  await forEachObject(
    about,
    { path: '/pods', kind: 'Pod', query: { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' } },
    () => pods.clear(),
    (pod) => {
      const name = textAt(valueAt(pod, 'spec'), 'serviceAccountName') ?? 'default';
      const key = accountKey(textAt(valueAt(pod, 'metadata'), 'namespace') ?? '', name);
      pods.set(key, (pods.get(key) ?? 0) + 1);
    },
  );
  return pods;
}

/**
 * Returns the token secrets of each service account by uid, so that a recreated account with the same name is distinct.
 */
async function nameTokens(about: About): Promise<Map<string, NamedToken[]>> {
  const tokens = new Map<string, NamedToken[]>();
  let count = 0;
  const query = { fieldSelector: 'type=kubernetes.io/service-account-token' };
  await forEachObject(
    about,
    { path: '/secrets', kind: 'Secret', query, metadataOnly: true },
    () => {
      tokens.clear();
      count = 0;
    },
    (secret) => {
      const metadata = valueAt(secret, 'metadata');
      const account = textAt(valueAt(metadata, 'annotations'), 'kubernetes.io/service-account.uid');
      const name = textAt(metadata, 'name');
      if (account === undefined || name === undefined) return;
      count += 1;
      if (count > maxTokens)
        throw new SourceError(`${about.base}/secrets has more than ${maxTokens} tokens`, 'too_large');
      const token = { name, createdAt: textAt(metadata, 'creationTimestamp') };
      const known = tokens.get(account);
      if (known) known.push(token);
      else tokens.set(account, [token]);
    },
  );
  return tokens;
}

function accountKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function textAt(value: unknown, name: string): string | undefined {
  return scalarText(valueAt(value, name));
}
