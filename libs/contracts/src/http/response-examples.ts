import { eventExample } from '../event-catalogue/event-catalogue.js';
import { exampleId, exampleResources } from '../event-catalogue/example-resources.js';

const { account, identity, machineIdentity, user } = exampleResources;
const event = eventExample('user.updated');
const webhook = {
  id: exampleId('webhook'),
  callback_url: 'https://example.com/idsync',
  events: ['identity.*', 'user.updated'],
  active: true,
  created_at: identity.created_at,
};
const secret = { signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const subscription = { ...webhook, events: ['user.updated'], active: false };
const delivery = {
  id: exampleId('delivery'),
  webhook_id: webhook.id,
  event_id: event.id,
  event_type: event.type,
  sequence: event.sequence,
  occurred_at: event.timestamp,
  status: 'dead',
  in_flight: false,
  tries: 10,
  created_at: event.timestamp,
  ended_at: '2026-02-03T16:00:00.000Z',
  last_outcome: 'rejected',
  last_status_code: 500,
  last_error: 'status 500',
};
const replay = {
  replay_id: exampleId('replay'),
  webhook_id: webhook.id,
  kind: 'resend',
  status: 'queued',
  delivery_id: delivery.id,
  requested_by: exampleId('apiKey'),
  created_at: '2026-02-04T09:00:00.000Z',
  progress_pct: 0,
  looked_at: 0,
  made_due: 0,
};
const signingKey = {
  public_key: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  created_at: event.timestamp,
};
const page = <Item>(item: Item) => ({ data: [item], total: 1, limit: 50, offset: 0 });

const group = {
  id: exampleId('group'),
  name: 'Engineering',
  external_id: '8f3c1f5e-6a1d-4b8e-9a57-0d2f7c1b6e42',
  source_id: exampleId('connector'),
  created_at: event.timestamp,
  updated_at: event.timestamp,
  members_total: 12,
};

/** Examples of successful responses of the public API, by operation id. */
export const responseExamples: Record<string, unknown> = {
  getHealth: { status: 'ok' },
  listIdentities: page(identity),
  getIdentity: identity,
  listIdentityHistory: page({
    id: event.id,
    event_type: event.type,
    occurred_at: event.timestamp,
    details: {
      id: user.id,
      job_id: exampleId('job'),
      changes: [{ field: 'job_title', from: 'Engineer', to: 'Lead', source: exampleId('connector') }],
    },
  }),
  listUsers: page(user),
  getUser: user,
  listAccounts: page(account),
  getAccount: account,
  listMachineIdentities: page(machineIdentity),
  getMachineIdentity: machineIdentity,
  listGroups: page(group),
  getGroup: group,
  listGroupMembers: page(user),
  listConnectors: page({
    id: exampleId('connector'),
    name: 'HR',
    type: 'csv',
    records: 'user',
    health: 'ok',
    complete_as_of: event.timestamp,
  }),
  triggerSync: { job_id: exampleId('job'), status: 'queued' },
  getSyncJob: {
    job_id: exampleId('job'),
    status: 'running',
    progress_pct: 60,
    started_at: event.timestamp,
    batches_processed: 3,
    batches_total: 5,
  },
  createWebhook: { ...webhook, ...secret },
  listWebhooks: { data: [webhook], total: 1 },
  updateWebhook: { ...webhook, active: false },
  rotateWebhookSecret: secret,
  getWebhook: {
    ...subscription,
    pending: { count: 12, exact: true },
    dead: { count: 1, exact: true },
    oldest_due_at: event.timestamp,
    breaker: { state: 'closed' },
    failures: 25,
    last_failure_at: delivery.ended_at,
    disabled_at: delivery.ended_at,
    disabled_reason: 'no successful delivery for days, and a delivery used up all attempts',
    inactive: {
      by: 'service',
      at: delivery.ended_at,
      reason: 'no successful delivery for days, and a delivery used up all attempts',
    },
    last_error: {
      delivery_id: delivery.id,
      at: delivery.ended_at,
      outcome: 'rejected',
      status_code: 500,
      error: 'status 500',
    },
    statistics: {
      since: '2026-02-02T16:00:00.000Z',
      attempts: 4,
      success_rate: 0,
      duration_ms: { p50: 31, p99: 40, attempts: 4 },
      outcomes: { rejected: 4 },
      hours: [{ at: '2026-02-03T15:00:00.000Z', delivered: 0, failed: 4 }],
    },
  },
  createPortalLink: {
    id: exampleId('portalLink'),
    url: `https://idsync.example.com/portal/#ipl_${'0'.repeat(26)}_${'A'.repeat(43)}`,
    webhook_ids: [webhook.id],
    access: 'send',
    bodies: true,
    expires_at: event.timestamp,
  },
  testWebhook: { event_id: event.id },
  listWebhookDeliveries: { data: [delivery], limit: 50 },
  getWebhookDelivery: {
    ...delivery,
    attempts: [
      {
        number: 10,
        started_at: '2026-02-03T15:59:59.969Z',
        ended_at: delivery.ended_at,
        outcome: 'rejected',
        status_code: 500,
        error: 'status 500',
        request: {
          url: webhook.callback_url,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'idsync-webhooks/1',
            'webhook-id': event.id,
            'webhook-timestamp': '1770134399',
            'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          },
        },
        response_headers: { 'content-type': 'text/plain' },
        response_body: 'out of disk',
        duration_ms: 31,
      },
    ],
    body: JSON.stringify(event),
  },
  resendWebhookDelivery: replay,
  requeueWebhook: { ...replay, kind: 'requeue', delivery_id: undefined },
  getWebhookReplay: { ...replay, status: 'done', progress_pct: 100, looked_at: 1, made_due: 1 },
  createWebhookSigningKey: signingKey,
  listWebhookSigningKeys: { data: [signingKey], total: 1 },
  listEvents: { data: [event], next_after: event.sequence, has_more: false, limit: 100 },
};
