import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import createFetchClient, { type Client } from 'openapi-fetch';
import { EventFeed } from './event-feed.js';
import type {
  Account,
  ConnectorSummary,
  CreatedWebhook,
  Delivery,
  DeliveryDetails,
  DeliveryPage,
  Group,
  Identity,
  LifecycleEvent,
  ListedWebhook,
  MachineIdentity,
  operations,
  paths,
  Replay,
  SigningKey,
  SyncJobReference,
  SyncStatus,
  TestEvent,
  User,
  Webhook,
  WebhookDetails,
} from './generated/api.js';
import { answerOf } from './idsync-error.js';
import { callBelow } from './operation.js';
import { PagedList } from './paged-list.js';
import { writeQuery } from './query.js';
import { type Fetch, retrying } from './retry.js';

export interface ClientOptions {
  /** Address of the gateway, such as `https://idsync.example.com`. */
  baseUrl: string;
  /** API key of the tenant. */
  apiKey: string;
  /** Attempts after the first one, of requests that may be repeated; 4 by default. */
  retries?: number;
  /** Limit for one attempt in milliseconds; 40 000 by default, because the gateway answers within 30 s. */
  timeoutMs?: number;
  fetch?: Fetch;
}

type Query<Operation extends keyof operations> = Omit<
  NonNullable<operations[Operation]['parameters']['query']>,
  'cursor' | 'offset'
>;
type Body<Operation extends keyof operations> = operations[Operation] extends {
  requestBody?: { content: { 'application/json': infer Type } };
}
  ? Type
  : never;

const ended = new Set(['completed', 'completed_with_errors', 'failed', 'cancelled', 'quarantined']);

/**
 * Client of the public API of one tenant. Every method throws an IdsyncError if idsync refuses the request; what may be
 * repeated is repeated first (see `retrying`). Requests ask for strict handling, so a misspelt filter is an error.
 */
export class IdsyncClient {
  /** Typed requests to every route of `openapi.json`, for those that have no method here. */
  readonly http: Client<paths>;
  private readonly call: ReturnType<typeof callBelow<'/v1'>>;
  private readonly fetch: Fetch;
  private readonly retry: { retries: number; timeoutMs: number };

  constructor({ baseUrl, apiKey, retries = 4, timeoutMs = 40_000, fetch = globalThis.fetch }: ClientOptions) {
    this.fetch = fetch;
    this.retry = { retries, timeoutMs };
    this.http = createFetchClient<paths>({
      baseUrl: baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl,
      headers: { 'X-API-Key': apiKey, Prefer: 'handling=strict' },
      fetch: retrying(fetch, this.retry),
      querySerializer: writeQuery,
      // Following a redirect could send the key to another host.
      redirect: 'manual',
    });
    this.call = callBelow(this.http, '/v1');
  }

  readonly identities = {
    list: (query: Query<'listIdentities'> = {}): PagedList<Identity> =>
      new PagedList((cursor) => this.call('GET /identities', {}, { ...query, cursor })),
    /** With `at`, the identity as it was at that time. */
    get: (id: string, query: Query<'getIdentity'> = {}): Promise<Identity> =>
      this.call('GET /identities/{id}', { id }, query),
    /** Events of the identity and of everything linked to it, oldest first. */
    history: (id: string, query: Query<'listIdentityHistory'> = {}): PagedList<LifecycleEvent> =>
      new PagedList((cursor) => this.call('GET /identities/{id}/history', { id }, { ...query, cursor })),
  };

  readonly users = {
    list: (query: Query<'listUsers'> = {}): PagedList<User> =>
      new PagedList((cursor) => this.call('GET /users', {}, { ...query, cursor })),
    get: (id: string): Promise<User> => this.call('GET /users/{id}', { id }),
  };

  readonly accounts = {
    /** With `matched: false`, the accounts that are linked to no identity. */
    list: (query: Query<'listAccounts'> = {}): PagedList<Account> =>
      new PagedList((cursor) => this.call('GET /accounts', {}, { ...query, cursor })),
    get: (id: string): Promise<Account> => this.call('GET /accounts/{id}', { id }),
  };

  readonly machineIdentities = {
    list: (query: Query<'listMachineIdentities'> = {}): PagedList<MachineIdentity> =>
      new PagedList((cursor) => this.call('GET /machine-identities', {}, { ...query, cursor })),
    get: (id: string): Promise<MachineIdentity> => this.call('GET /machine-identities/{id}', { id }),
  };

  readonly groups = {
    list: (query: Query<'listGroups'> = {}): PagedList<Group> =>
      new PagedList((cursor) => this.call('GET /groups', {}, { ...query, cursor })),
    get: (id: string): Promise<Group> => this.call('GET /groups/{id}', { id }),
    members: (id: string, query: Query<'listGroupMembers'> = {}): PagedList<User> =>
      new PagedList((cursor) => this.call('GET /groups/{id}/members', { id }, { ...query, cursor })),
  };

  readonly connectors = {
    /** The sources of the tenant, with their health. */
    list: async (): Promise<ConnectorSummary[]> => {
      const found: ConnectorSummary[] = [];
      for (;;) {
        const query = { limit: 200, offset: found.length };
        const { data, total } = await this.call('GET /connectors', {}, query);
        found.push(...data);
        if (data.length === 0 || found.length >= total) return found;
      }
    },
  };

  /**
   * Returns the position of the newest event. Take it before you read a list: `events` from there has every change that
   * the list may not show.
   */
  async newestPosition(): Promise<number> {
    return (await this.call('GET /events', {}, { after: 'latest' })).next_after;
  }

  /** All events of the tenant after the position `after`, or from the first one that is kept. */
  events({ after = 0, types }: { after?: number; types?: readonly string[] } = {}): EventFeed {
    const filter = types && { types: types.join(',') };
    return new EventFeed(after, (from) => this.call('GET /events', {}, { ...filter, after: from }));
  }

  readonly sync = {
    /** Starts a sync. Has an idempotency key, if you give none, so that a repetition starts no second one. */
    trigger: (body: Body<'triggerSync'>): Promise<SyncJobReference> =>
      answerOf(
        this.http.POST('/v1/sync/trigger', {
          body: { idempotency_key: randomUUID(), ...body },
          fetch: retrying(this.fetch, this.retry, () => true),
        }),
      ),
    get: (jobId: string): Promise<SyncStatus> => this.call('GET /sync/jobs/{id}', { id: jobId }),
    /** Waits until the job has ended or is quarantined, which an operator must decide. */
    wait: async (jobId: string, { everyMs = 1_000, signal }: { everyMs?: number; signal?: AbortSignal } = {}) => {
      for (;;) {
        const job = await this.sync.get(jobId);
        if (ended.has(job.status)) return job;
        await pause(everyMs, undefined, { signal });
      }
    },
  };

  readonly webhooks = {
    list: async (): Promise<ListedWebhook[]> => (await this.call('GET /webhooks', {})).data,
    /** Store the `signing_secret`: it is never shown again. */
    create: (body: Body<'createWebhook'>): Promise<CreatedWebhook> => this.call('POST /webhooks', {}, body),
    update: (id: string, body: Body<'updateWebhook'>): Promise<Webhook> =>
      this.call('PATCH /webhooks/{id}', { id }, body),
    /** With its health, its last error, and why it is inactive. */
    get: (id: string): Promise<WebhookDetails> => this.call('GET /webhooks/{id}', { id }),
    /** Sends a test event, regardless of the subscription. */
    test: (id: string, body: Body<'testWebhook'> = {}): Promise<TestEvent> =>
      this.call('POST /webhooks/{id}/test', { id }, body),
    /** Deliveries of the webhook, the newest events first. */
    deliveries: (id: string, query: Query<'listWebhookDeliveries'> = {}): PagedList<Delivery, DeliveryPage> =>
      new PagedList((cursor) => this.call('GET /webhooks/{id}/deliveries', { id }, { ...query, cursor })),
    /** One delivery with its attempts: the requests, and the responses of the receiver. */
    delivery: (id: string, deliveryId: string): Promise<DeliveryDetails> =>
      this.call('GET /webhooks/{id}/deliveries/{deliveryId}', { id, deliveryId }),
    resend: (id: string, deliveryId: string): Promise<Replay> =>
      this.call('POST /webhooks/{id}/deliveries/{deliveryId}/resend', { id, deliveryId }),
    /** Sends all dead deliveries again. */
    requeue: (id: string): Promise<Replay> => this.call('POST /webhooks/{id}/requeue', { id }),
    /** The progress of `resend` or `requeue`. */
    replay: (id: string, replayId: string): Promise<Replay> =>
      this.call('GET /webhooks/{id}/replays/{replayId}', { id, replayId }),
    delete: async (id: string): Promise<void> => {
      await this.call('DELETE /webhooks/{id}', { id });
    },
    /**
     * Creates a key pair, or rotates it, so that requests can be verified with the public key alone (`verifyWebhook`).
     * Earlier keys stay valid for `overlap_hours`.
     */
    createSigningKey: (id: string, body: Body<'createWebhookSigningKey'> = {}): Promise<SigningKey> =>
      this.call('POST /webhooks/{id}/signing-keys', { id }, body),
    /** Returns the valid public keys, the newest first. */
    signingKeys: async (id: string): Promise<SigningKey[]> =>
      (await this.call('GET /webhooks/{id}/signing-keys', { id })).data,
    /** Returns the new secret. The old one stays valid for `overlap_hours`. */
    rotateSecret: async (id: string, body: Body<'rotateWebhookSecret'> = {}): Promise<string> => {
      return (await this.call('POST /webhooks/{id}/rotate-secret', { id }, body)).signing_secret;
    },
  };
}
