// Documents as the API returns them, in which each spec replaces what it is about.

import type {
  Connector,
  Delivery,
  Identity,
  OperatorJobWithErrors,
  ReviewCase,
  SyncPlan,
  WebhookDetails,
} from '@idsync/client/operator';
import { tenantId } from './fake-service';

const at = '2026-11-24T12:00:00.000Z';

export const source: Connector = {
  id: 'con_hr',
  tenant_id: tenantId,
  type: 'csv',
  name: 'HR',
  priority: 10,
  records: 'user',
  config: {},
  secrets: [],
  safeguard: {
    max_deleted_percent: 5,
    max_deleted_records: 10,
    max_disabled_percent: 5,
    max_disabled_records: 10,
    max_enabled_percent: 5,
    max_enabled_records: 10,
    max_reused_percent: 5,
    max_reused_records: 10,
    within_hours: 24,
    max_failed_percent: 5,
    max_failed_records: 10,
    max_created_percent: 100,
    max_created_records: 100,
    max_changed_percent: 100,
    max_changed_records: 100,
    changed_fields: [],
    max_rekeyed_percent: 5,
    max_rekeyed_records: 10,
  },
  health: 'ok',
  failures: 0,
  created_at: at,
  updated_at: at,
};

export const heldRun: OperatorJobWithErrors = {
  job_id: 'job_held',
  status: 'quarantined',
  progress_pct: 100,
  batches_processed: 1,
  connector_id: source.id,
  error_message: 'quarantined: the run would delete 40 of 100 people',
  created_at: at,
  records_read: 60,
  records_applied: 0,
  records_failed: 0,
  records_suppressed: 0,
  records_deleted: 0,
  dry_run: false,
  stalled: false,
  mode: 'full',
  errors: [],
};

export const heldPlan: SyncPlan = {
  job_id: heldRun.job_id,
  status: 'quarantined',
  dry_run: false,
  state: 'ready',
  reasons: [],
  counts: { create: 2, update: 0, disable: 0, delete: 40 },
  data: [
    {
      action: 'delete',
      record: { kind: 'user', id: 'usr_1', external_id: 'A-12' },
      changes: [],
      done: false,
    },
  ],
  total: 1,
  limit: 100,
  offset: 0,
};

export const reviewCase: ReviewCase = {
  id: 'cas_1',
  status: 'open',
  kind: 'weak',
  reason: 'same name',
  opened_at: at,
  record: {
    id: 'usr_1',
    kind: 'user',
    connector_id: source.id,
    external_id: 'A-12',
    identity_id: 'idn_1',
    document: { first_name: 'Zoë', last_name: 'Müller' },
  },
  candidates: [{ identity_id: 'idn_2', display_name: 'Zoe Muller', score: 1, evidence: [] }],
};

export const webhook: WebhookDetails = {
  id: 'whk_1',
  callback_url: 'https://receiver.example.com/hook',
  events: ['user.*'],
  active: true,
  created_at: at,
  pending: { count: 0, exact: true },
  dead: { count: 0, exact: true },
  breaker: { state: 'closed' },
  failures: 0,
  statistics: { since: at, attempts: 0, hours: [], outcomes: {} },
};

export const delivery: Delivery = {
  id: 'dlv_1',
  webhook_id: webhook.id,
  event_type: 'webhook.test',
  sequence: 1,
  status: 'pending',
  in_flight: false,
  tries: 0,
  created_at: at,
};

export const person: Identity = {
  id: 'idn_1',
  display_name: 'Ada Byron',
  status: 'active',
  created_at: at,
  updated_at: at,
  attributes: [],
  users: [],
  accounts: [],
  machine_identities: [],
};

/** A page of a list. */
export const pageOf = <Item>(...data: Item[]) => ({ data, total: data.length, limit: 200, offset: 0 });
