import { type KubernetesConfig, kubernetesConfig } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { type Cluster, kubernetesApi, serviceAccount } from '../../test/kubernetes-api.js';
import { conforms, lastWords, quickLimits, readPages } from '../../test/listing-conformance.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { type Connector, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import type { HttpLimits } from '../http/http-limits.js';
import { kubernetesConnector } from './kubernetes-connector.js';

const server = await testServer();
const token = 'eyJhbGciOi.k8s.t0ken';

function cluster(): Cluster {
  const accounts = Array.from({ length: 11 }, (_, number) =>
    serviceAccount(number < 6 ? 'default' : 'shop', `app-${number}`, number),
  );
  const pod = (namespace: string, serviceAccountName: string, name: string) => ({
    metadata: { name, namespace },
    spec: { serviceAccountName, containers: [] },
  });
  return {
    accounts,
    pods: [
      pod('shop', 'app-7', 'a'),
      pod('shop', 'app-7', 'b'),
      pod('default', 'app-7', 'c'),
      pod('shop', 'app-8', 'd'),
    ],
    secrets: [
      {
        metadata: {
          name: 'app-7-token',
          namespace: 'shop',
          creationTimestamp: '2024-02-03T04:05:06Z',
          annotations: { 'kubernetes.io/service-account.uid': 'uid-shop-app-7' },
        },
        data: { token: 'c2VjcmV0' },
      },
    ],
  };
}

function connector(config: Partial<KubernetesConfig> = {}, limits: Partial<HttpLimits> = quickLimits): Connector {
  const valid = kubernetesConfig.parse({ url: server.origin, ...config });
  return kubernetesConnector(valid, {
    records: 'machine_identity',
    secrets: { token },
    allowedCidrs: loopback,
    limits,
  });
}

const expected = cluster().accounts.map((account) => (account as { metadata: { uid: string } }).metadata.uid);

conforms(server, () => ({
  api: kubernetesApi(cluster(), token).api,
  connector: (limits) => connector({ token_secrets: true }, limits),
  expected,
  listOf: ({ url }) => url.pathname,
  withoutList: (reply) => ({ ...reply, body: { ...(reply.body as object), items: undefined } }),
  emptied: (reply) => {
    const body = reply.body as { metadata: object };
    return {
      ...reply,
      body: { ...body, items: [], metadata: { ...body.metadata, continue: '', remainingItemCount: 5 } },
    };
  },
  secrets: [token, 'c2VjcmV0'],
}));

describe('a service account', () => {
  it('is a workload, with the pods that run as it and the names of its tokens', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    const { pages } = await readPages(connector({ token_secrets: true }), 100);
    expect(lastWords(pages)['uid-shop-app-7']).toEqual({
      account_id: ['system:serviceaccount:shop:app-7'],
      display_name: ['app-7'],
      classification: ['workload'],
      status: ['active'],
      'attributes.namespace': ['shop'],
      'attributes.application': ['app-7'],
      'attributes.created_at': ['2026-01-08T00:00:00Z'],
      'attributes.used_by_pods': ['2'],
      'attributes.token_secrets': ['app-7-token'],
      'attributes.secret_created_at': ['2024-02-03T04:05:06Z'],
    });
    expect(lastWords(pages)['uid-default-app-0']).toMatchObject({ 'attributes.used_by_pods': ['0'] });
  });

  it('is read without pods and secrets where these are not wanted, and of some namespaces only', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    const { pages } = await readPages(connector({ pods: false, namespaces: ['shop', 'empty'] }), 100);
    expect(Object.keys(lastWords(pages))).toEqual(expected.filter((uid) => uid.includes('shop')).sort());
    expect(server.asked.map(({ url }) => url.pathname)).toEqual([
      '/api/v1/namespaces/shop/serviceaccounts',
      '/api/v1/namespaces/empty/serviceaccounts',
    ]);
  });

  it('is asked for with its tokens by name only, and what secrets hold is refused', async () => {
    const { api } = kubernetesApi(cluster(), token);
    server.serve(api);
    await readPages(connector({ token_secrets: true }), 100);
    const asked = server.asked.find(({ url }) => url.pathname === '/api/v1/secrets');
    expect(asked?.headers.accept).toContain('as=PartialObjectMetadataList');
    server.serve((request) => api({ ...request, headers: { authorization: request.headers.authorization } }));
    const { error } = await readPages(connector({ token_secrets: true }), 100);
    expect((error as Error).message).toContain('/api/v1/secrets answered with no PartialObjectMetadataList');
  });
});

describe('a list of pods', () => {
  it('is counted over all its chunks, and not for ever where these go in a circle', async () => {
    const source = cluster();
    const pod = { metadata: { namespace: 'shop' }, spec: { serviceAccountName: 'app-9' } };
    source.pods.push(...Array.from({ length: 1_200 }, () => pod));
    const { api } = kubernetesApi(source, token);
    server.serve(api);
    const { pages } = await readPages(connector(), 100);
    expect(lastWords(pages)['uid-shop-app-9']).toMatchObject({ 'attributes.used_by_pods': ['1200'] });
    const begin = (asked: Asked) => {
      const url = new URL(asked.url);
      url.searchParams.delete('continue');
      return api({ ...asked, url });
    };
    server.serve(begin);
    expect(String((await readPages(connector(), 100)).error)).toContain('answers in a circle');
  });
});

describe('a list whose token has expired', () => {
  it('begins again in the same run, and its inconsistent continuation is refused', async () => {
    const source = cluster();
    const { api, state } = kubernetesApi(source, token);
    let calls = 0;
    server.serve((asked) => {
      if (asked.url.pathname.endsWith('serviceaccounts') && ++calls === 3) {
        // Meanwhile somebody went whom the pages before have shown, and somebody came there.
        source.accounts.splice(0, 1, serviceAccount('default', 'aaa', 99));
        state.expired.add(String(state.version));
        state.version += 1;
      }
      return api(asked);
    });
    const { pages, error } = await readPages(connector(), 3);
    expect(error).toBeUndefined();
    expect(Object.keys(lastWords(pages))).toEqual([...expected, 'uid-default-aaa'].sort());
    expect(pages.filter(({ last }) => last)).toHaveLength(1);
    const lists = server.asked.filter(({ url }) => url.pathname.endsWith('serviceaccounts'));
    expect(lists.map(({ url }) => url.searchParams.has('continue'))).toEqual([
      false,
      true,
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  it('begins again also where a cursor is taken up a day later', async () => {
    const { api, state } = kubernetesApi(cluster(), token);
    server.serve(api);
    const { pages } = await readPages(connector(), 3);
    state.expired.add(String(state.version));
    state.version += 1;
    const rest = await readPages(connector(), 3, pages[1]?.cursor);
    expect(rest.error).toBeUndefined();
    expect(Object.keys(lastWords(rest.pages))).toEqual([...expected].sort());
  });

  it('fails where that happens again and again, and where chunks of other versions are mixed', async () => {
    const { api, state } = kubernetesApi(cluster(), token);
    server.serve((asked) => {
      state.expired.add(String(state.version));
      return api(asked);
    });
    const expiring = await readPages(connector(), 3);
    expect((expiring.error as Error).message).toContain('begun 4 times, the list could not be read to its end');
    let version = 0;
    server.serve((asked) => {
      const reply = kubernetesApi(cluster(), token).api(asked);
      return withVersion(reply, ++version);
    });
    const mixed = await readPages(connector({ pods: false }), 3);
    expect((mixed.error as Error).message).toContain('went on with another version of its list');
    expect([...expiring.pages, ...mixed.pages].some(({ last }) => last)).toBe(false);
  });
});

function withVersion(reply: Reply, version: number): Reply {
  const body = reply.body as { metadata: object };
  return { ...reply, body: { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } } };
}

describe('a connector for a cluster', () => {
  const settings = {
    type: 'kubernetes' as const,
    config: { url: server.origin },
    secrets: { token },
    sourcesDir: '/nowhere',
  };

  it('is made of a minimal config, and calls a private address only where that is allowed', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    const records = 'machine_identity';
    const allowed = createConnector({ ...settings, records, allowedCidrs: loopback });
    expect((await readPages(allowed, 1000)).error).toBeUndefined();
    const { error } = await readPages(createConnector({ ...settings, records }), 1000);
    expect((error as Error).message).toContain('it is not called: 127.0.0.1 is not a public address');
  });

  it('has no people, and needs its token', () => {
    expect(() => createConnector({ ...settings, records: 'user' })).toThrow('kubernetes has machine identities only');
    expect(() => createConnector({ ...settings, records: 'machine_identity', secrets: {} })).toThrow(SourceError);
  });

  it('says what the API server said where it may not list', async () => {
    const message = 'serviceaccounts is forbidden: User "system:anonymous" cannot list resource';
    server.replies({
      status: 403,
      body: { kind: 'Status', status: 'Failure', message, reason: 'Forbidden', code: 403 },
    });
    const { error } = await readPages(connector(), 3);
    expect((error as Error).message).toBe(`GET ${server.origin}/api/v1/pods answered 403 (Forbidden: ${message})`);
    expect(server.asked).toHaveLength(1);
  });
});

describe('one service account', () => {
  it('is what a read of everything gives, with its pods and tokens', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    expect(await expectEachAlone(connector())).toHaveLength(11);
  });

  it('is not taken for gone where the list is refused', async () => {
    const { api } = kubernetesApi(cluster(), token);
    server.serve((asked) => (asked.url.pathname.endsWith('/serviceaccounts') ? { status: 403 } : api(asked)));
    await expect(readOne(connector(), 'nobody')).rejects.toThrow(SourceError);
  });
});
