export const personStatuses = ['pending', 'active', 'suspended', 'inactive', 'deleted'] as const;
export type PersonStatus = (typeof personStatuses)[number];

export const jobStatuses = [
  'queued',
  'running',
  'quarantined',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

/**
 * `full` reads the whole source, `changes` what has changed since the last run, `auto` changes where the source
 * supports it.
 */
export const syncModes = ['auto', 'full', 'changes'] as const;
export type SyncMode = (typeof syncModes)[number];
/** A job can also read a single record that an operator named. */
export type JobMode = SyncMode | 'record';

/** Result of a record job; `absent`: the record is not in its source, and there was nothing to delete. */
export const recordOutcomes = ['created', 'updated', 'unchanged', 'deleted', 'absent', 'refused'] as const;
export type RecordOutcome = (typeof recordOutcomes)[number];

/** The status that hides a record from lists, by kind. */
export const deletedStatus = {
  user: 'deleted',
  account: 'deleted',
  machine_identity: 'decommissioned',
} as const satisfies Record<RecordKind, string>;

/** Lists of people in the result of an operation, which are read in pages. */
export const resultLists = ['joined', 'parted', 'moved', 'cases', 'access_changes'] as const;
export type ResultList = (typeof resultLists)[number];

/** `linked`, `new` and `ignored` are decisions of an operator; `settled` means that later evidence closed the case. */
export const caseStatuses = ['open', 'linked', 'new', 'ignored', 'settled'] as const;
export type CaseStatus = (typeof caseStatuses)[number];

/** `dead`: every attempt of the schedule has failed; an operator can requeue the delivery. */
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Kinds of findings; kinds are only ever added. */
export const findingKinds = [
  'leaver_with_account',
  'leaver_with_machine_secret',
  'unmatched_account',
  'duplicate_in_source',
  'machine_without_owner',
  'stale_source',
  'unknown_manager',
  'manager_cycle',
  'leaver_in_other_source',
  'user_looks_like_machine',
  'account_looks_like_machine',
  'employment_conflict',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** `accepted` by an operator, with a reason; `resolved` when the reason of the finding is gone. */
export const findingStates = ['open', 'accepted', 'resolved'] as const;
export type FindingState = (typeof findingStates)[number];

/**
 * `pending` waits for another operator. `stale`: what it concerns has changed since the request. `expired` is computed
 * when an approval is read.
 */
export const approvalStatuses = ['pending', 'approved', 'rejected', 'stale', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
export type StoredApprovalStatus = Exclude<ApprovalStatus, 'expired'>;

/** Roles of operators. */
export const operatorRoles = ['viewer', 'operator', 'auditor', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Kind of a connector's records: people, accounts of people, or accounts of machines. */
export const recordKinds = ['user', 'account', 'machine_identity'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Deterministic match keys, available on every kind of record, in the order of their rank. */
export const matchingKeys = ['employee_number', 'email', 'user_principal_name'] as const;
export type MatchingKey = (typeof matchingKeys)[number];

/**
 * The fields that sources deliver, by kind of record and type. The targets of mappings, the documents, the API and the
 * attributes of a person follow from them. `external_id` and ids cannot be mapped, since idsync sets them.
 */
export const recordFields = {
  user: {
    text: ['user_principal_name', 'display_name', 'email', 'job_title', 'first_name', 'last_name', 'manager_id'],
    list: ['roles', 'groups', 'departments', 'other_emails'],
    date: ['hire_date', 'termination_date'],
    integer: [],
    status: ['pending', 'active', 'suspended', 'inactive', 'deleted'],
  },
  account: {
    text: ['identifier', 'display_name', 'first_name', 'last_name', 'job_title', 'source_system_id'],
    list: ['groups', 'other_emails'],
    date: [],
    integer: [],
    status: ['active', 'disabled', 'locked', 'deleted'],
  },
  machine_identity: {
    text: ['account_id', 'display_name', 'classification', 'owned_by', 'manager_id', 'technical_inheritor'],
    list: ['other_emails'],
    date: [],
    integer: ['risk_score'],
    status: ['active', 'disabled', 'orphaned', 'decommissioned'],
  },
} as const satisfies Record<RecordKind, Record<'text' | 'list' | 'date' | 'integer' | 'status', readonly string[]>>;

export const machineClassifications = [
  'service_account',
  'api_key',
  'oauth_app',
  'workload',
  'bot',
  'ci_cd',
  'ai_agent',
  'unknown',
] as const;

/** All event types; types are only ever added, at the end. */
export const eventTypes = [
  'identity.created',
  'identity.updated',
  'identity.status_changed',
  'identity.merged',
  'identity.split',
  'identity.deleted',
  'user.created',
  'user.updated',
  'user.status_changed',
  'user.deleted',
  'account.created',
  'account.updated',
  'account.linked',
  'account.unlinked',
  'account.disabled',
  'account.deleted',
  'machine_identity.created',
  'machine_identity.updated',
  'machine_identity.owner_changed',
  'machine_identity.orphaned',
  'machine_identity.risk_changed',
  'machine_identity.decommissioned',
  'lifecycle.joiner',
  'lifecycle.mover',
  'lifecycle.leaver',
  'lifecycle.rejoiner',
  'sync.job.started',
  'sync.job.completed',
  'sync.job.failed',
  'sync.job.quarantined',
  'sync.job.cancelled',
  'webhook.test',
  'finding.opened',
  'finding.resolved',
  'group.created',
  'group.members_changed',
  'group.deleted',
  'webhook.disabled',
  'group.updated',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Scopes of an API key; a key has all of them unless it was issued with fewer. */
export const scopes = [
  'identities:read',
  'users:read',
  'sync:read',
  'sync:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'accounts:read',
  'machines:read',
  'groups:read',
] as const;
export type Scope = (typeof scopes)[number];

/** The acts of a plan on records. */
export const planActions = ['create', 'update', 'disable', 'delete'] as const;
export type PlanAction = (typeof planActions)[number];

export const quotaNames = ['people', 'connectors', 'webhooks', 'requests_per_minute'] as const;
export type QuotaName = (typeof quotaNames)[number];
