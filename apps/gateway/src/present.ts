import { encodeId, healthAfter, type IdKind, machineReferences, recordIds } from '@idsync/contracts';
import type {
  ApiKeyRow,
  CaseRow,
  ConnectorRow,
  EventRow,
  FailingRecordRow,
  JobPlan,
  JobRow,
  LastRun,
  MachineRow,
  OperationRow,
  PlanEntryRow,
  TenantRow,
  WebhookRow,
} from '@idsync/database';

/** Rows as the API shows them. What is not known is left out: JSON.stringify drops undefined. */

export function presentTenant(row: TenantRow) {
  return { id: encodeId('tenant', row.id), name: row.name, created_at: row.createdAt.toISOString() };
}

export function presentApiKey(row: ApiKeyRow) {
  return {
    id: encodeId('apiKey', row.id),
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString(),
    revoked_at: row.revokedAt?.toISOString(),
  };
}

export function presentConnectorToken(row: ApiKeyRow) {
  const { scopes: _, ...token } = presentApiKey(row);
  return token;
}

export function presentConnector(row: ConnectorRow) {
  return {
    id: encodeId('connector', row.id),
    tenant_id: encodeId('tenant', row.tenantId),
    type: row.type,
    name: row.name,
    priority: row.priority,
    records: row.records,
    config: row.config,
    secrets: row.secrets,
    safeguard: row.safeguard,
    health: healthAfter(row.failures),
    failures: row.failures,
    schedule: row.schedule ?? undefined,
    next_run_at: row.nextRunAt?.toISOString(),
    skipped: row.skippedAt ? { at: row.skippedAt.toISOString(), reason: row.skippedBecause ?? '' } : undefined,
    checkpoint_at: row.checkpointAt?.toISOString(),
    last_run: row.lastRun ? presentLastRun(row.lastRun) : undefined,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function presentFailingRecord(row: FailingRecordRow) {
  return {
    external_id: row.externalId ?? undefined,
    line: row.line ?? undefined,
    message: row.message,
    first_failed_at: row.firstFailedAt.toISOString(),
    last_failed_at: row.lastFailedAt.toISOString(),
    job_id: encodeId('job', row.jobId),
  };
}

function presentLastRun(run: LastRun) {
  return {
    job_id: encodeId('job', run.id),
    status: run.status,
    mode: run.mode,
    started_at: run.startedAt === null ? undefined : new Date(run.startedAt).toISOString(),
    completed_at: new Date(run.completedAt).toISOString(),
    error_message: run.errorMessage ?? undefined,
    records_read: run.recordsRead,
    records_failed: run.recordsFailed,
    records_deleted: run.recordsDeleted,
  };
}

export function presentJob(row: JobRow) {
  return {
    job_id: encodeId('job', row.id),
    status: row.status,
    progress_pct: row.progressPct,
    started_at: row.startedAt?.toISOString(),
    completed_at: row.completedAt?.toISOString(),
    // Who polls a quarantined job is told what it waits for.
    error_message: row.errorMessage ?? (row.status === 'quarantined' ? row.note : null) ?? undefined,
    batches_processed: row.batchesProcessed,
    // Of a source that failed nobody knows how many there would have been.
    batches_total:
      (row.errorMessage !== null && row.status !== 'completed_with_errors' ? null : row.batchesTotal) ?? undefined,
  };
}

export function presentOperatorJob(row: JobRow) {
  return {
    ...presentJob(row),
    connector_id: encodeId('connector', row.connectorId),
    created_at: row.createdAt.toISOString(),
    records_read: row.recordsRead,
    records_applied: row.recordsApplied,
    records_failed: row.recordsFailed,
    records_deleted: row.recordsDeleted,
    dry_run: row.dryRun,
    scheduled_for: row.scheduledFor?.toISOString(),
    last_record_at: row.lastRecordAt?.toISOString(),
    stalled: row.stalled,
    mode: row.mode,
    external_id: row.externalId ?? undefined,
    outcome: row.outcome ?? undefined,
    record_id: row.record ? encodeId(recordIds[row.record.kind], row.record.id) : undefined,
    identity_id: row.record?.identityId ? encodeId('identity', row.record.identityId) : undefined,
    note: [row.whyFull, row.note].filter((note) => note !== null).join('; ') || undefined,
    decision: row.decision ?? undefined,
  };
}

export function presentPlan(job: JobRow, { plan, counts, entries }: JobPlan): object {
  return {
    job_id: encodeId('job', job.id),
    status: job.status,
    dry_run: job.dryRun,
    state: plan?.state ?? 'open',
    known: plan?.known ?? undefined,
    note: plan?.note ?? undefined,
    counts: {
      create: counts.create ?? 0,
      update: counts.update ?? 0,
      disable: counts.disable ?? 0,
      delete: counts.delete ?? 0,
    },
    data: entries.map(presentPlanEntry),
  };
}

function presentPlanEntry(row: PlanEntryRow) {
  return {
    action: row.action,
    record: {
      // One that is to be made has no id yet.
      id: row.action === 'create' ? undefined : encodeId(recordIds[row.kind], row.recordId),
      kind: row.kind,
      external_id: row.externalId,
    },
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    changes: row.changes,
    done: row.done,
  };
}

export function presentWebhook(row: WebhookRow) {
  return {
    id: encodeId('webhook', row.id),
    callback_url: row.callbackUrl,
    events: row.events,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    ...(row.disabledAt && { disabled_at: row.disabledAt.toISOString() }),
    ...(row.disabledReason && { disabled_reason: row.disabledReason }),
  };
}

export function presentEvent(row: EventRow) {
  return {
    id: encodeId('event', row.id),
    event_type: row.type,
    occurred_at: row.occurredAt.toISOString(),
    details: row.details,
  };
}

export function presentOperation(row: OperationRow) {
  return {
    operation_id: encodeId('operation', row.id),
    type: row.type,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString(),
    reason: row.input.reason,
    preview: row.input.preview === true ? (true as const) : undefined,
    result: row.result === null ? undefined : withPublicIds(row.result),
    reverted_by: row.revertedBy === null ? undefined : encodeId('operation', row.revertedBy),
  };
}

export function presentCase(row: CaseRow) {
  return {
    id: encodeId('case', row.id),
    status: row.status,
    kind: row.kind,
    reason: row.reason,
    opened_at: row.openedAt.toISOString(),
    closed_at: row.closedAt?.toISOString(),
    operation_id: row.operationId === null ? undefined : encodeId('operation', row.operationId),
    record: {
      id: encodeId(recordIds[row.recordKind], row.recordId),
      kind: row.recordKind,
      connector_id: encodeId('connector', row.connectorId),
      external_id: row.externalId,
      identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
      document: JSON.parse(row.document) as Record<string, unknown>,
    },
    candidates: row.candidates.map(({ identity_id, display_name, score, evidence }) => ({
      identity_id: encodeId('identity', identity_id),
      display_name: display_name ?? undefined,
      score,
      evidence,
    })),
  };
}

export function presentMachine(row: MachineRow) {
  const gone = row.status === 'decommissioned';
  return {
    id: encodeId('machineIdentity', row.id),
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    connector_id: encodeId('connector', row.connectorId),
    external_id: row.externalId,
    status: row.status,
    classification: row.fields.classification?.[0],
    handed_over: row.machine?.handedOver ?? false,
    people: machineReferences.map((role) => {
      const identityId = row.references.find((each) => each.role === role)?.identityId;
      return {
        role,
        named: row.fields[role]?.[0],
        identity_id: identityId === undefined ? undefined : encodeId('identity', identityId),
      };
    }),
    risk_score: row.machine?.risk.score ?? 0,
    risk_factors: row.machine?.risk.factors ?? [],
    next_review_at: gone ? undefined : row.dueAt?.toISOString(),
  };
}

const idFields: readonly (readonly [RegExp, IdKind])[] = [
  [/identity_ids?$/, 'identity'],
  [/case_id$/, 'case'],
  [/operation_id$/, 'operation'],
];

/** The directory writes bare uuids; what a field is called tells what it names. */
function withPublicIds(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withPublicIds(item, field));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withPublicIds(item, name)]));
  }
  const kind = idFields.find(([pattern]) => pattern.test(field))?.[1];
  return kind && typeof value === 'string' ? encodeId(kind, value) : value;
}
