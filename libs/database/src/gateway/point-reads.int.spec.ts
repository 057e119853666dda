import { newUuid, routes } from '@idsync/contracts';
import { ServiceDatabase, uuidAt } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findDeadLetter } from '../bus/dead-letters.js';
import type { Database, Transaction } from '../database.js';
import { findFindingPolicy, findLifecyclePolicy } from '../settings/tenant-settings.js';
import { findApiKey } from './access/api-keys.js';
import { findApproval } from './access/approvals.js';
import { findOperatorPolicy } from './access/service-tokens.js';
import { findConnector, findProbe } from './connectors/connectors.js';
import { countLiveRecords, findDeletedConnector } from './connectors/deleted-connectors.js';
import { findHistory } from './events/history.js';
import { findEvent } from './events/list-events.js';
import { findDocument } from './identities/documents.js';
import { findExplainedIdentity } from './identities/explained-identity.js';
import { findFinding } from './identities/findings.js';
import { findGroup } from './identities/groups.js';
import { findIdentityAt } from './identities/identity-at.js';
import { findOperation } from './identities/operations.js';
import { findAccount, findMachine, findRecord } from './identities/records.js';
import { findCase, findComparedFields } from './identities/review-cases.js';
import { findSuppression } from './identities/suppressions.js';
import { findJob, findJobErrors } from './jobs/jobs.js';
import { findJobPlan } from './jobs/plans.js';
import { findTenant } from './tenants/tenants.js';
import { findDelivery } from './webhooks/deliveries.js';
import { findAttemptStatistics, findLastFailure, findWebhookHealth } from './webhooks/webhook-health.js';
import { findReplay } from './webhooks/webhook-replays.js';
import { findWebhook } from './webhooks/webhooks.js';

const many = 5_000;
/** Bound for a few lookups of one row each. */
const few = 20;

const tenant = newUuid();
let own: ServiceDatabase;

/** Maps a number to the same id in all tables, so that rows refer to each other. */
const id = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const asked = 4_321;

/** Rows of every table that a point read uses; `$1` is the tenant, `id` the id of the row number. */
const filled = {
  identities: `(id, tenant_id, status, created_at, updated_at, document)
    select id, $1, 'active', '2025-01-01', '2026-01-01', '{"id":"a","created_at":"2025-01-01T00:00:00Z"}'`,
  identity_versions: `(tenant_id, identity_id, valid_until, document)
    select $1, id, '2025-07-01', '{"created_at":"2025-01-01T00:00:00Z"}'`,
  identity_redirects: `(tenant_id, id, into_id, created_at, merged_at)
    select $1, md5(id::text)::uuid, id, '2025-01-01', '2025-06-01'`,
  events: `(tenant_id, sequence, id, type, occurred_at, identity_id, details)
    select $1, n, id, 'identity.created', '2025-01-01', id, '{}'`,
  connectors: `(id, tenant_id, type, name, priority, records, config) select id, $1, 'csv', n::text, 100, 'user', '{}'`,
  source_records: `(id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields, changed_at,
      created_at, updated_at, document, last_job_id, last_seq, status_since)
    select id, $1, case when n = ${many} then 'account' when n % 2 = 0 then 'user' else 'machine_identity' end, id, n::text, id, 'active', '', '{}', '{}', '2025-01-01',
           '2025-01-01', '{}', id, 1, '2025-01-01'`,
  lifecycle_policies: `(tenant_id, policy, updated_at)
    select case when n = 1 then $1::uuid else id end, '{"grace_days": 60}', '2025-01-01'`,
  findings: `(id, tenant_id, kind, subject_id, evidence, opened_at)
    select id, $1, case when n % 2 = 0 then 'unknown_manager' else 'stale_source' end, id, '{}', '2025-01-01'`,
  finding_policies: `(tenant_id, policy, updated_at)
    select case when n = 1 then $1::uuid else id end, '{"stale_source_hours": 48}', '2025-01-01'`,
  machine_references: `(tenant_id, record_id, role, value) select $1, id, 'owned_by', n::text`,
  review_cases: `(id, tenant_id, record_id, kind, reason, candidates, opened_at)
    select id, $1, id, 'weak', 'alike', jsonb_build_array(jsonb_build_object('identity_id', id)), '2025-01-01'`,
  groups: `(id, tenant_id, connector_id, name, term, created_at) select id, $1, id, n::text, 'g:' || n, '2025-01-01'`,
  list_terms: `(tenant_id, term, created_at, record_id) select $1, 'g:' || n, '2025-01-01', id`,
  sync_jobs: `(id, tenant_id, connector_id, status) select id, $1, id, 'completed'`,
  sync_record_errors: `(job_id, id, tenant_id, message) select id, id, $1, 'no name'`,
  sync_plans: `(job_id, tenant_id, connector_id, reasons)
    select id, $1, id, '[{"rule": "created"}, {"rule": "changed", "field": "email"}, {"rule": "rekeyed", "field": "email"}]'`,
  sync_plan_entries: `(job_id, tenant_id, seq, action, record_id, kind, external_id, changes)
    select id, $1, 1, 'delete', id, 'user', n::text, '[]'`,
  connector_probes: `(id, tenant_id, connector_id, kind) select id, $1, id, 'test'`,
  operations: `(id, tenant_id, type, input) select id, $1, 'identity.erase', '{}'`,
  webhooks: `(id, tenant_id, callback_url, events) select id, $1, 'https://example.com', '{*}'`,
  webhook_deliveries: `(id, tenant_id, webhook_id, event_sequence, event_type) select id, $1, id, n, 'identity.created'`,
  webhook_attempts: '(delivery_id, number, tenant_id, webhook_id) select id, 1, $1, id',
  event_payloads: `(tenant_id, sequence, event_id, body) select $1, n, id, '{}'`,
  approvals: `(id, tenant_id, action, input, requested_by, expires_at)
    select id, $1, 'releaseSyncJob', '{}', '{"name": "test"}', now()`,
  api_keys: `(id, tenant_id, name, scopes, secret_hash) select id, $1, n::text, '{}', ''`,
  suppressions: '(id, tenant_id, identity_id, operation_id) select id, $1, id, id',
  bus_messages: `(queue, message_id, type, message, dead_at)
    select 'directory.batches', id, 'sync.batch.ready', $1::text, now()`,
  webhook_replays: `(id, tenant_id, webhook_id, kind, filter, requested_by) select id, $1, id, 'replay', '{}', 'test'`,
};

/** The reads of each route that returns a single resource. */
const reads: Record<string, (tx: Transaction, id: string) => Promise<unknown>> = {
  '/v1/identities/{id}': (tx, id) => findDocument(through(tx), tenant, 'identity', id),
  '/v1/identities/{id}?at=': (tx, id) => findIdentityAt(through(tx), tenant, id, new Date('2025-05-01')),
  '/v1/identities/{id}/history': (tx, id) => findHistory(through(tx), tenant, id, { limit: 50, offset: 0 }),
  '/admin/v1/tenants/{tenantId}/identities/{identityId}/history': (tx, id) =>
    findHistory(through(tx), tenant, id, { limit: 50, offset: 0 }),
  '/v1/users/{id}': (tx, id) => findDocument(through(tx), tenant, 'user', id),
  '/v1/accounts/{id}': (tx) => findDocument(through(tx), tenant, 'account', id(many)),
  '/v1/machine-identities/{id}': (tx, even) => findDocument(through(tx), tenant, 'machine_identity', odd(even)),
  '/v1/groups/{id}': (tx, id) => findGroup(through(tx), tenant, id),
  '/v1/sync/jobs/{id}': (tx, id) => findJob(tx, id),
  '/v1/webhooks/{id}': async (tx, id) => {
    const [health, failure] = [await findWebhookHealth(tx, id), await findLastFailure(tx, id)];
    return health && (await findAttemptStatistics(tx, id)) && (failure ?? true);
  },
  '/v1/webhooks/{id}/deliveries/{deliveryId}': async (tx, id) => (await findWebhook(tx, id)) && findDelivery(tx, id),
  '/v1/webhooks/{id}/replays/{replayId}': (tx, id) => findReplay(tx, id),
  '/admin/v1/tenants/{tenantId}': (tx) => findTenant(tx, tenant),
  '/admin/v1/tenants/{tenantId}/lifecycle-policy': (tx) => findLifecyclePolicy(tx),
  '/admin/v1/tenants/{tenantId}/operator-policy': (tx) => findOperatorPolicy(tx),
  '/admin/v1/tenants/{tenantId}/finding-policy': (tx) => findFindingPolicy(tx),
  '/admin/v1/tenants/{tenantId}/findings/{findingId}': (tx, id) => findFinding(tx, id),
  '/admin/v1/tenants/{tenantId}/connectors/{connectorId}': (tx, id) => findConnector(tx, id),
  '/admin/v1/tenants/{tenantId}/connectors/{connectorId}/deletion': async (tx, id) =>
    (await countLiveRecords(tx, id)) >= 0,
  '/admin/v1/tenants/{tenantId}/deleted-connectors/{connectorId}': async (tx, id) =>
    (await findDeletedConnector(tx, id)) === undefined,
  '/admin/v1/tenants/{tenantId}/connectors/{connectorId}/probes/{probeId}': (tx, id) => findProbe(tx, id),
  '/admin/v1/tenants/{tenantId}/sync-jobs/{jobId}': async (tx, id) => {
    const [job, errors] = [await findJob(tx, id), await findJobErrors(tx, id)];
    return errors.length > 0 && job;
  },
  '/admin/v1/tenants/{tenantId}/sync-jobs/{jobId}/plan': (tx, id) => findJobPlan(tx, id, { limit: 50, offset: 0 }),
  '/admin/v1/tenants/{tenantId}/cases/{caseId}': async (tx, id) => {
    const found = await findCase(tx, id);
    const compared = found && (await findComparedFields(tx, found));
    return compared?.others[0]?.length === 1 && found;
  },
  '/admin/v1/tenants/{tenantId}/identities/{identityId}': (tx, id) => findDocument(through(tx), tenant, 'identity', id),
  '/admin/v1/tenants/{tenantId}/accounts/{accountId}': (tx) => findAccount(tx, id(many)),
  '/admin/v1/tenants/{tenantId}/machine-identities/{machineId}': (tx, even) => findMachine(tx, odd(even)),
  '/admin/v1/tenants/{tenantId}/records/{recordId}': (tx, even) => findRecord(tx, 'user', even),
  '/admin/v1/tenants/{tenantId}/api-keys/{keyId}': (tx, id) => findApiKey(tx, id),
  '/admin/v1/tenants/{tenantId}/operations/{operationId}': (tx, id) => findOperation(tx, id),
  '/admin/v1/tenants/{tenantId}/webhooks/{webhookId}': (tx, id) => findWebhookHealth(tx, id),
  '/admin/v1/tenants/{tenantId}/deliveries/{deliveryId}': (tx, id) => findDelivery(tx, id),
  '/admin/v1/tenants/{tenantId}/suppressions/{suppressionId}': (tx, id) => findSuppression(tx, id),
  '/admin/v1/tenants/{tenantId}/approvals/{approvalId}': (tx, id) => findApproval(tx, id),
  '/admin/v1/tenants/{tenantId}/replays/{replayId}': (tx, id) => findReplay(tx, id),
  '/admin/v1/system/dead-letters/{deadLetterId}': (tx) => findDeadLetter(tx, asked),
};

/** Returns the names of all connectors of the tenant, which are tens in practice but many in this test. */
const explained = '/admin/v1/tenants/{tenantId}/identities/{identityId}/explain';
/** Returns the delivery to each webhook, of which a tenant has few in practice. */
const event = '/admin/v1/tenants/{tenantId}/events/{eventId}';
/** Reads of more than one resource, which have their own tests. */
const notPointReads =
  /\{tenantId\}\/(activity|deletion|export|quotas|settings)$|\/(audit|verification|approvals|api-keys|identities|users|accounts|machine-identities|groups|members|connectors|deleted-connectors|events|suppressions|errors|tokens|sync-jobs|cases|findings|counts|matching-rules|attribute-priorities|operations|items|webhooks|deliveries|replays|signing-keys)$|\/events\/stream$/;

const odd = (even: string): string => id(Number(even.slice(-12)) + 1);
const even = asked - 1;

/**
 * Wraps a transaction as a Database, so that the cost of a function that begins its own transaction can be measured.
 */
function through(tx: Transaction): Database {
  return {
    read: (_tenant: string, { text, values }: { text: string; values: unknown[] }) => tx.query(text, values),
    readTexts: async (_tenant: string, { text, values }: { text: string; values: unknown[] }) =>
      (await tx.query<Record<string, unknown>>(text, values)).map((row) => Object.values(row)),
    transaction: (_tenant: string, work: (tx: Transaction) => unknown) => work(tx),
    readTransaction: (_tenant: string, work: (tx: Transaction) => unknown) => work(tx),
  } as unknown as Database;
}

async function fetched(tx: Transaction, table?: string): Promise<number> {
  const [seen] = await tx.query<{ count: number }>(
    `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint as count from pg_stat_xact_user_tables
      where $1::text is null or relname = $1`,
    [table ?? null],
  );
  return seen?.count ?? Number.NaN;
}

/** Rows that a read fetches, as the gateway's role under row-level security, on tables without statistics. */
async function cost(read: (tx: Transaction) => Promise<unknown>, table?: string): Promise<number> {
  return own.database.transaction(tenant, async (tx) => {
    const before = await fetched(tx, table);
    expect(await read(tx)).toBeTruthy();
    return (await fetched(tx, table)) - before;
  });
}

describe('a point read of the gateway', () => {
  beforeAll(async () => {
    own = await ServiceDatabase.start('gateway');
    await own.fixture.rows('insert into tenants (id, name) values ($1, $2)', [tenant, 'Test']);
    for (const [table, rows] of Object.entries(filled)) {
      await own.fixture.rows(
        `insert into ${table} ${rows} from (
           select n, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid as id from generate_series(1, ${many}) as n) as row`,
        [tenant],
      );
    }
  });

  afterAll(() => own?.close());

  it('is tested for every route that returns a single resource', () => {
    const ofOne = routes
      .filter(({ method, path }) => method === 'GET' && path.includes('{') && !notPointReads.test(path))
      .map(({ path }) => path);
    expect(ofOne.filter((path) => ![explained, event].includes(path) && !(path in reads))).toEqual([]);
  });

  it.each(Object.entries(reads))(
    'fetches a bounded number of rows of a tenant that has many: GET %s',
    async (_, read) => {
      expect(await cost((tx) => read(tx, id(even)))).toBeLessThan(few);
    },
  );

  it('fetches a bounded number of rows for an identity that was merged into another', async () => {
    const [merged] = await own.fixture.rows<{ id: string }>('select id from identity_redirects where into_id = $1', [
      id(even),
    ]);
    const gone = merged?.id ?? '';
    expect(await cost((tx) => findDocument(through(tx), tenant, 'identity', gone))).toBeLessThan(few);
    expect(await cost((tx) => findHistory(through(tx), tenant, gone, { limit: 50, offset: 0 }))).toBeLessThan(few);
    expect(await cost((tx) => findIdentityAt(through(tx), tenant, gone, new Date('2026-05-01')))).toBeLessThan(few);
  });

  it(`fetches one identity and its records to explain it: GET ${explained}`, async () => {
    for (const table of ['identities', 'identity_redirects', 'source_records']) {
      expect(await cost((tx) => findExplainedIdentity(tx, id(even)), table)).toBeLessThan(few);
    }
  });

  it(`finds one event by its id: GET ${event}`, async () => {
    const eventId = uuidAt(new Date());
    await own.fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, details)
        values ($1, $2, $3, 'identity.created', now(), $3, '{}')`,
      [tenant, many + 1, eventId],
    );
    // The search by time halves the events at each step.
    const steps = 2 * Math.ceil(Math.log2(many));
    expect(await cost((tx) => findEvent(tx, eventId), 'events')).toBeLessThan(steps + few);
  });
});
