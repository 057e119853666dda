import { type KubernetesConfig, kubernetesFields } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { secretOf } from '../http/api-source.js';
import { bearer } from '../http/authentication.js';
import type { JsonObject } from '../json/json-value.js';
import { valueAt } from '../json/json-value.js';
import type { Chunk, ChunkRequest, Listing, Place } from '../listing/listing.js';
import { type ListingAccess, listingConnector } from '../listing/listing-connector.js';
import { sourceNames } from '../transform.js';
import { accountKey, countPods, type NamedToken, nameTokens, textAt } from './cluster-usage.js';
import { firstPlace, type ListPlace, readObjects } from './kubernetes-list.js';

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
    access,
    ca,
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
