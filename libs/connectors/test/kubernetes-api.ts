import type { Asked, Reply } from './http-server.js';

export interface Cluster {
  accounts: object[];
  pods: object[];
  secrets: { metadata: object; data: object }[];
}

const started = Date.parse('2026-01-01T00:00:00Z');

export function serviceAccount(namespace: string, name: string, number: number): object {
  return {
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      resourceVersion: String(100 + number),
      creationTimestamp: new Date(started + number * 86_400_000).toISOString().replace('.000', ''),
      labels: { 'app.kubernetes.io/name': name },
    },
    secrets: [{ name: `${name}-dockercfg` }],
    automountServiceAccountToken: false,
  };
}

/** Serves Kubernetes lists in chunks by limit and continue, each list at the resource version of its first chunk. */
export function kubernetesApi(cluster: Cluster, token: string) {
  const state = { version: 1_000, expired: new Set<string>() };
  const kinds: Record<string, [string, keyof Cluster]> = {
    serviceaccounts: ['ServiceAccountList', 'accounts'],
    pods: ['PodList', 'pods'],
    secrets: ['SecretList', 'secrets'],
  };
  const api = ({ url, headers }: Asked): Reply => {
    if (headers.authorization !== `Bearer ${token}`) return status(401, 'Unauthorized', 'Unauthorized');
    const [, namespace, resource = ''] = /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?([a-z]+)$/.exec(url.pathname) ?? [];
    const kind = kinds[resource];
    if (!kind) return status(404, 'NotFound', 'the server could not find the requested resource');
    const all = cluster[kind[1]].filter(
      (item) => !namespace || (item as { metadata: { namespace: string } }).metadata.namespace === namespace,
    );
    const sent = url.searchParams.get('continue');
    const { version, from } = sent
      ? (JSON.parse(Buffer.from(sent, 'base64url').toString()) as { version: number; from: number })
      : { version: state.version, from: 0 };
    if (sent && state.expired.has(String(version))) {
      const inconsistent = Buffer.from(JSON.stringify({ version: state.version, from })).toString('base64url');
      const message = 'The provided continue parameter is too old to display a consistent list result.';
      return status(410, 'Expired', message, { continue: inconsistent });
    }
    const limit = Number(url.searchParams.get('limit') ?? all.length);
    const items = all.slice(from, from + limit);
    const left = all.length - from - items.length;
    const token_ = Buffer.from(JSON.stringify({ version, from: from + limit })).toString('base64url');
    const partial = headers.accept?.includes('as=PartialObjectMetadataList');
    return {
      body: {
        kind: partial ? 'PartialObjectMetadataList' : kind[0],
        apiVersion: partial ? 'meta.k8s.io/v1' : 'v1',
        metadata: {
          resourceVersion: String(version),
          ...(left > 0 && {
            continue: token_,
            ...(!url.searchParams.has('labelSelector') && { remainingItemCount: left }),
          }),
        },
        items: partial ? items.map((item) => ({ metadata: (item as { metadata: object }).metadata })) : items,
      },
    };
  };
  return { api, state };
}

function status(code: number, reason: string, message: string, metadata: object = {}): Reply {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason, code },
  };
}
