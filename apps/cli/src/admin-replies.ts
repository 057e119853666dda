import type {
  BreakerState,
  DeliveryStatus,
  JobStatus,
  OperationStatus,
  ProbeStatus,
  RecordOutcome,
  ReplayStatus,
} from '@idsync/contracts';

export interface List<Item> {
  data: Item[];
  total: number;
}

/** A list that has no total and goes on by cursors. */
export interface CursorList<Item> {
  data: Item[];
  /** Absent where the list has ended. */
  next_cursor?: string;
}

export interface Tenant {
  id: string;
  name: string;
  created_at?: string;
}

export interface ApiKey {
  id: string;
  name: string;
  scopes?: string[];
  created_at?: string;
  expires_at?: string;
  last_used_at?: string;
  revoked_at?: string;
  /** Only in the reply that creates it. */
  key?: string;
}

/** What an identity provider pushes to a connector with. */
export interface ConnectorToken extends Omit<ApiKey, 'scopes' | 'key'> {
  /** Only in the reply that creates it, as is `path`. */
  token?: string;
  path?: string;
}

export interface Schedule {
  every?: string;
  cron?: string;
  time_zone?: string;
  jitter?: string;
  full_every?: number;
  paused?: boolean;
}

export interface FailingRecord {
  external_id?: string;
  line?: number;
  message: string;
  first_failed_at: string;
  last_failed_at: string;
}

export interface Connector {
  id: string;
  type: string;
  name: string;
  priority?: number;
  records?: string;
  updated_at?: string;
  health?: string;
  schedule?: Schedule;
  next_run_at?: string;
  checkpoint_at?: string;
  last_run?: { job_id: string; status: string; completed_at: string };
}

/** What came of a test or a discovery of a connector. */
export interface Probe {
  probe_id: string;
  connector_id: string;
  status: ProbeStatus;
  error?: string;
  records?: { external_id: string; fields: Record<string, string[]> }[];
  errors?: { external_id?: string; message: string }[];
  fields?: { name: string; examples: string[] }[];
}

export interface Job {
  job_id: string;
  status: JobStatus;
  connector_id?: string;
  progress_pct?: number;
  created_at?: string;
  started_at?: string;
  completed_at?: string;
  error_message?: string;
  records_read?: number;
  records_applied?: number;
  records_failed?: number;
  records_deleted?: number;
  mode?: string;
  external_id?: string;
  outcome?: RecordOutcome;
  record_id?: string;
  identity_id?: string;
  note?: string;
  errors?: { line?: number; external_id?: string; message: string }[];
}

export interface Operation {
  operation_id: string;
  type: string;
  status: OperationStatus;
  created_at?: string;
  ended_at?: string;
  reason?: string;
  result?: Record<string, unknown>;
  reverted_by?: string;
}

export interface ReviewCase {
  id: string;
  status: string;
  kind: string;
  reason: string;
  opened_at: string;
  closed_at?: string;
  operation_id?: string;
  record: {
    id: string;
    kind: string;
    connector_id: string;
    external_id: string;
    identity_id?: string;
    document: Record<string, unknown>;
  };
  candidates: { identity_id: string; display_name?: string; score: number; evidence: string[] }[];
}

/** What a list in an identity holds: a user, an account or a machine identity. */
export interface LinkedRecord {
  id: string;
  display_name?: string;
  external_id?: string;
  identifier?: string;
  status?: string;
}

export interface Identity {
  id: string;
  display_name?: string;
  status: string;
  created_at: string;
  updated_at: string;
  attributes: { field_name: string; field_value: string; priority: number; source_id: string }[];
  users: LinkedRecord[];
  accounts: LinkedRecord[];
  machine_identities: LinkedRecord[];
}

interface Candidate {
  value: string;
  connector_id: string;
  connector?: string;
  priority: number;
  updated_at: string;
}

export interface Explanation {
  identity_id: string;
  display_name?: string;
  fields: { field: string; winner: Candidate; over: Candidate[]; because: string }[];
  records: {
    id: string;
    kind: string;
    connector_id: string;
    external_id: string;
    status: string;
    linked: string;
    by?: string;
  }[];
}

export interface AttributePriorities {
  priorities: { field: string; connector_id: string; priority: number }[];
}

export interface Plan extends List<PlanEntry> {
  state: string;
  counts: Record<'create' | 'update' | 'disable' | 'delete', number>;
  known?: number;
  note?: string;
}

interface PlanEntry {
  action: string;
  record: { id?: string; kind: string; external_id: string };
  identity_id?: string;
  changes: { field: string; from?: string | string[]; to?: string | string[] }[];
  done: boolean;
}

export interface Count {
  count: number;
  exact: boolean;
}

export interface WebhookHealth {
  id: string;
  callback_url: string;
  events: string[];
  active: boolean;
  pending: Count;
  dead: Count;
  breaker: { state: BreakerState; open_until?: string };
  failures: number;
  last_success_at?: string;
}

export interface WebhookDetails extends WebhookHealth {
  statistics: {
    since: string;
    attempts: number;
    success_rate?: number;
    duration_ms?: { p50: number; p99: number };
    outcomes: Record<string, number>;
  };
}

export interface Delivery {
  id: string;
  webhook_id: string;
  event_type: string;
  occurred_at?: string;
  status: DeliveryStatus;
  in_flight: boolean;
  tries: number;
  last_outcome?: string;
  last_status_code?: number;
  last_error?: string;
}

export interface DeliveryDetails extends Delivery {
  attempts: {
    number: number;
    started_at: string;
    outcome?: string;
    status_code?: number;
    error?: string;
    response_body?: string;
    duration_ms?: number;
  }[];
  body?: string;
}

export interface Replay {
  replay_id: string;
  webhook_id: string;
  kind: string;
  status: ReplayStatus;
  requested_by: string;
  created_at: string;
  progress_pct: number;
  made_due: number;
}
