import { type KubernetesConfig, kubernetesConfig } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person, SourceUnderTest } from '../../test/conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { type Cluster, kubernetesApi, serviceAccount } from '../../test/kubernetes-api.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { attempt, finalRecords } from '../../test/reading.js';
import { type Connector, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import type { HttpLimits } from '../http/http-transport.js';
import { kubernetesConnector } from './kubernetes-connector.js';

const server = testServer();
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

function connector(config: Partial<KubernetesConfig> = {}, limits: Partial<HttpLimits> = quick): Connector {
  const valid = kubernetesConfig.parse({ url: server.origin, ...config });
  return kubernetesConnector(valid, {
    records: 'machine_identity',
    secrets: { token },
    allowedCidrs: loopback,
    limits,
  });
}

const expected = cluster().accounts.map((account) => (account as { metadata: { uid: string } }).metadata.uid);

const kit = testServer();

function kubernetesUnderTest(): SourceUnderTest {
  let { api } = kubernetesApi(cluster(), token);
  const open = () => connector({ url: kit.origin, token_secrets: true });
  const fill = (accounts: readonly object[]) => {
    ({ api } = kubernetesApi({ ...cluster(), accounts: [...accounts] }, token));
    return open();
  };
  const named = (people: readonly Person[]) =>
    people.map(({ name }, number) => serviceAccount(number < 6 ? 'default' : 'shop', name, number));
  const spoiled = (metadata: object) => (people: readonly Person[]) =>
    fill([...named(people).slice(0, 2), { metadata }, ...named(people).slice(2)]);
  const metadataOf = (reply: Reply) => (reply.body as { metadata: object }).metadata;
  return {
    name: 'kubernetes',
    open,
    fill: (people) => void fill(named(people)),
    emptySource: 'complete',
    secrets: [token, 'c2VjcmV0'],
    discovers: ['metadata.name', 'metadata.uid', '@username', '@pods'],
    readsOne: { unknownId: 'nobody' },
    changes: { unsupported: 'watches are not supported' },
    bad: {
      withoutId: spoiled({ name: 'nobody', namespace: 'shop' }),
      ofWrongType: spoiled({ name: 'nobody', namespace: 'shop', uid: ['of', { a: 'list' }].slice(1) }),
      tooLarge: spoiled({ name: 'x'.repeat(20_000), namespace: 'shop', uid: 'large' }),
    },
    reached: {
      over: 'http',
      server: kit,
      answer: (asked) => api(asked),
      listOf: ({ url }) => url.pathname,
      answerSize: { unsupported: 'the connector requests the page size' },
      renewal: { unsupported: 'its token does not expire' },
      invalidResponses: {
        withoutList: (reply) => ({ ...reply, body: { ...(reply.body as object), items: undefined } }),
        emptied: (reply) => ({
          ...reply,
          body: {
            ...(reply.body as object),
            items: [],
            metadata: { ...metadataOf(reply), continue: '', remainingItemCount: 5 },
          },
        }),
        repeating(reply, earlier) {
          const [one, other] = [reply, earlier].map(({ body }) => body as { kind: string; items: unknown[] });
          const again = one?.kind === 'ServiceAccountList' && other?.kind === one.kind ? other.items.slice(0, 1) : [];
          return { ...reply, body: { ...one, items: [...(one?.items ?? []), ...again] } };
        },
        emptyBefore(reply, { url }, nth) {
          const sent = Buffer.from(url.searchParams.get('continue') ?? '', 'base64url').toString();
          const place = { version: '1000', from: 0, ...JSON.parse(sent || '{}'), nth };
          const token = Buffer.from(JSON.stringify(place)).toString('base64url');
          const metadata = { ...metadataOf(reply), continue: token };
          return { ...reply, body: { ...(reply.body as object), items: [], metadata } };
        },
        leadingTo: { unsupported: 'its pages have tokens, not links' },
        expired: { unsupported: 'a list with an expired token restarts, which is tested below' },
      },
    },
  };
}
conforms(kubernetesUnderTest());

describe('the Kubernetes connector', () => {
  it('reads a service account as a workload with its number of pods and its token names', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    const { pages } = await attempt(connector({ token_secrets: true }), { pageSize: 100 });
    expect(finalRecords(pages)['uid-shop-app-7']).toEqual({
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
    expect(finalRecords(pages)['uid-default-app-0']).toMatchObject({ 'attributes.used_by_pods': ['0'] });
  });

  it('reads no pods and secrets unless mapped, and only the configured namespaces', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    const { pages } = await attempt(connector({ pods: false, namespaces: ['shop', 'empty'] }), { pageSize: 100 });
    expect(Object.keys(finalRecords(pages))).toEqual(expected.filter((uid) => uid.includes('shop')).sort());
    expect(server.asked.map(({ url }) => url.pathname)).toEqual([
      '/api/v1/namespaces/shop/serviceaccounts',
      '/api/v1/namespaces/empty/serviceaccounts',
    ]);
  });

  it('requests only metadata of secrets and rejects their contents', async () => {
    const { api } = kubernetesApi(cluster(), token);
    server.serve(api);
    await attempt(connector({ token_secrets: true }), { pageSize: 100 });
    const asked = server.asked.find(({ url }) => url.pathname === '/api/v1/secrets');
    expect(asked?.headers.accept).toContain('as=PartialObjectMetadataList');
    server.serve((request) => api({ ...request, headers: { authorization: request.headers.authorization } }));
    const { error } = await attempt(connector({ token_secrets: true }), { pageSize: 100 });
    expect((error as Error).message).toContain('/api/v1/secrets did not return a PartialObjectMetadataList');
  });
});

describe('the list of pods of a cluster', () => {
  it('is counted over all chunks, and a cycle of chunks fails', async () => {
    const source = cluster();
    const pod = { metadata: { namespace: 'shop' }, spec: { serviceAccountName: 'app-9' } };
    source.pods.push(...Array.from({ length: 1_200 }, () => pod));
    const { api } = kubernetesApi(source, token);
    server.serve(api);
    const { pages } = await attempt(connector(), { pageSize: 100 });
    expect(finalRecords(pages)['uid-shop-app-9']).toMatchObject({ 'attributes.used_by_pods': ['1200'] });
    const begin = (asked: Asked) => {
      const url = new URL(asked.url);
      url.searchParams.delete('continue');
      return api({ ...asked, url });
    };
    server.serve(begin);
    expect(String((await attempt(connector(), { pageSize: 100 })).error)).toContain(
      'returned a page that leads back to an earlier one',
    );
  });
});

describe('a Kubernetes list with an expired continue token', () => {
  it('restarts in the same run and does not use the inconsistent continuation', async () => {
    const source = cluster();
    const { api, state } = kubernetesApi(source, token);
    let calls = 0;
    server.serve((asked) => {
      if (asked.url.pathname.endsWith('serviceaccounts') && ++calls === 3) {
        // Meanwhile an account on an earlier page was deleted, and another was added there.
        source.accounts.splice(0, 1, serviceAccount('default', 'aaa', 99));
        state.expired.add(String(state.version));
        state.version += 1;
      }
      return api(asked);
    });
    const { pages, error } = await attempt(connector(), { pageSize: 3 });
    expect(error).toBeUndefined();
    expect(Object.keys(finalRecords(pages))).toEqual([...expected, 'uid-default-aaa'].sort());
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

  it('restarts when a cursor is resumed a day later', async () => {
    const { api, state } = kubernetesApi(cluster(), token);
    server.serve(api);
    const { pages } = await attempt(connector(), { pageSize: 3 });
    state.expired.add(String(state.version));
    state.version += 1;
    const rest = await attempt(connector(), { pageSize: 3, cursor: pages[1]?.cursor ?? {} });
    expect(rest.error).toBeUndefined();
    expect(Object.keys(finalRecords(rest.pages))).toEqual([...expected].sort());
  });

  it('fails after repeated restarts and for chunks of mixed versions', async () => {
    const { api, state } = kubernetesApi(cluster(), token);
    server.serve((asked) => {
      state.expired.add(String(state.version));
      return api(asked);
    });
    const expiring = await attempt(connector(), { pageSize: 3 });
    expect((expiring.error as Error).message).toContain('the list could not be read completely in 4 attempts');
    let version = 0;
    server.serve((asked) => {
      const reply = kubernetesApi(cluster(), token).api(asked);
      return withVersion(reply, ++version);
    });
    const mixed = await attempt(connector({ pods: false }), { pageSize: 3 });
    expect((mixed.error as Error).message).toContain('continued with another version of its list');
    expect([...expiring.pages, ...mixed.pages].some(({ last }) => last)).toBe(false);
  });
});

function withVersion(reply: Reply, version: number): Reply {
  const body = reply.body as { metadata: object };
  return { ...reply, body: { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } } };
}

describe('the configuration of a Kubernetes connector', () => {
  const settings = {
    type: 'kubernetes' as const,
    get config() {
      return { url: server.origin };
    },
    secrets: { token },
    sourcesDir: '/nowhere',
  };

  it('can be minimal, and a private address has to be allowed', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    const records = 'machine_identity';
    const allowed = createConnector({ ...settings, records, allowedCidrs: loopback });
    expect((await attempt(allowed, { pageSize: 1000 })).error).toBeUndefined();
    const { error } = await attempt(createConnector({ ...settings, records }), { pageSize: 1000 });
    expect((error as Error).message).toContain('the address is not allowed: 127.0.0.1 is not a public address');
  });

  it('rejects people and requires its token', () => {
    expect(() => createConnector({ ...settings, records: 'user' })).toThrow(
      'connectors of type kubernetes support machine identities only',
    );
    expect(() => createConnector({ ...settings, records: 'machine_identity', secrets: {} })).toThrow(SourceError);
  });

  it('is reported with the error of the API server if listing is forbidden', async () => {
    const message = 'serviceaccounts is forbidden: User "system:anonymous" cannot list resource';
    server.replies({
      status: 403,
      body: { kind: 'Status', status: 'Failure', message, reason: 'Forbidden', code: 403 },
    });
    const { error } = await attempt(connector(), { pageSize: 3 });
    expect(error).toMatchObject({
      code: 'forbidden',
      message: `GET ${server.origin}/api/v1/pods answered 403 (Forbidden)`,
      said: `Forbidden: ${message}`,
    });
    expect(server.asked).toHaveLength(1);
  });
});

describe('reading one service account', () => {
  it('returns the same result as a full read, with pods and tokens', async () => {
    server.serve(kubernetesApi(cluster(), token).api);
    expect(await expectEachAlone(connector())).toHaveLength(11);
  });

  it('fails instead of returning absent when the list is rejected', async () => {
    const { api } = kubernetesApi(cluster(), token);
    server.serve((asked) => (asked.url.pathname.endsWith('/serviceaccounts') ? { status: 403 } : api(asked)));
    await expect(readOne(connector(), 'nobody')).rejects.toThrow(SourceError);
  });
});
