import { encodeId, healthAfter, machineReferences, publicResult, recordIds, type responses } from '@idsync/contracts';
import type {
  AccountRow,
  ApiKeyRow,
  CaseRow,
  ConnectorRow,
  DeletedConnectorRow,
  EventRow,
  FailingRecordRow,
  GroupRow,
  JobPlan,
  JobRow,
  LastRun,
  MachineRow,
  OperationRow,
  PlanEntryRow,
  SuppressionRow,
  TenantDeletion,
  TenantRow,
  WebhookRow,
} from '@idsync/database/gateway';

/** Maps rows to API responses. Unknown values are undefined, so JSON.stringify omits them. */

export function presentTenant(row: TenantRow): responses.Tenant {
  return {
    id: encodeId('tenant', row.id),
    name: row.name,
    created_at: row.createdAt.toISOString(),
    suspended_at: row.suspendedAt?.toISOString(),
    deletion_requested_at: row.deletionRequestedAt?.toISOString(),
  };
}

export function presentTenantDeletion(
  { id, name }: TenantRow,
  { requestedAt, table, deleted, contents }: TenantDeletion,
): responses.TenantDeletion {
  return {
    tenant_id: encodeId('tenant', id),
    name,
    requested_at: requestedAt?.toISOString(),
    rows_deleted: deleted,
    table: table ?? undefined,
    contents,
  };
}

export function presentApiKey(row: ApiKeyRow): responses.ApiKey {
  return {
    id: encodeId('apiKey', row.id),
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString(),
    revoked_at: row.revokedAt?.toISOString(),
    allowed_networks: row.allowedNetworks ?? undefined,
  };
}

export function presentConnectorToken(row: ApiKeyRow): responses.ConnectorToken {
  const { scopes: _, allowed_networks: __, ...token } = presentApiKey(row);
  return token;
}

export function presentConnector(row: ConnectorRow): responses.Connector {
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
    health: row.quarantined ? 'quarantined' : healthAfter(row.failures),
    failures: row.failures,
    schedule: row.schedule ?? undefined,
    next_run_at: row.nextRunAt?.toISOString(),
    skipped: row.skippedAt ? { at: row.skippedAt.toISOString(), reason: row.skippedBecause ?? '' } : undefined,
    checkpoint_at: row.checkpointAt?.toISOString(),
    complete_as_of: row.completeAsOf?.toISOString(),
    last_run: row.lastRun ? presentLastRun(row.lastRun) : undefined,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function presentDeletedConnector(row: DeletedConnectorRow): responses.DeletedConnector {
  return {
    id: encodeId('connector', row.id),
    tenant_id: encodeId('tenant', row.tenantId),
    type: row.type,
    name: row.name,
    records: row.records,
    live_records: row.liveRecords,
    deleted_at: row.deletedAt.toISOString(),
  };
}

export function presentSuppression(row: SuppressionRow): responses.Suppression {
  return {
    id: encodeId('suppression', row.id),
    identity_id: encodeId('identity', row.identityId),
    operation_id: encodeId('operation', row.operationId),
    created_at: row.createdAt.toISOString(),
  };
}

/** Returns what clients may know of a connector: no configuration and no texts of the source. */
export function presentConnectorSummary(row: ConnectorRow): responses.ConnectorSummary {
  const { id, name, type, records, health, complete_as_of } = presentConnector(row);
  return { id, name, type, records, health, complete_as_of };
}

export function presentFailingRecord(row: FailingRecordRow): responses.FailingRecord {
  return {
    external_id: row.externalId ?? undefined,
    line: row.line ?? undefined,
    field: row.field ?? undefined,
    message: row.message,
    source_message: row.sourceMessage ?? undefined,
    first_failed_at: row.firstFailedAt.toISOString(),
    last_failed_at: row.lastFailedAt.toISOString(),
    job_id: encodeId('job', row.jobId),
    retries: row.retries,
    retry_at: row.retryAt?.toISOString(),
  };
}

function presentLastRun(run: LastRun): responses.Connector['last_run'] {
  return {
    job_id: encodeId('job', run.id),
    status: run.status,
    mode: run.mode,
    started_at: run.startedAt === null ? undefined : new Date(run.startedAt).toISOString(),
    completed_at: new Date(run.completedAt).toISOString(),
    error_message: run.errorMessage ?? undefined,
    error_code: run.errorCode ?? undefined,
    source_message: run.sourceMessage ?? undefined,
    records_read: run.recordsRead,
    records_failed: run.recordsFailed,
    records_deleted: run.recordsDeleted,
  };
}

export function presentJob(row: JobRow): responses.SyncStatus {
  return {
    job_id: encodeId('job', row.id),
    status: row.status,
    progress_pct: row.progressPct,
    started_at: row.startedAt?.toISOString(),
    completed_at: row.completedAt?.toISOString(),
    // A quarantined job shows what it waits for.
    error_message: row.errorMessage ?? (row.status === 'quarantined' ? row.note : null) ?? undefined,
    error_code: row.errorCode ?? undefined,
    batches_processed: row.batchesProcessed,
    // The total is unknown if the source failed.
    batches_total:
      (row.errorMessage !== null && row.status !== 'completed_with_errors' ? null : row.batchesTotal) ?? undefined,
  };
}

export function presentOperatorJob(row: JobRow): responses.OperatorJob {
  return {
    ...presentJob(row),
    source_message: row.sourceMessage ?? undefined,
    connector_id: encodeId('connector', row.connectorId),
    created_at: row.createdAt.toISOString(),
    records_read: row.recordsRead,
    records_applied: row.recordsApplied,
    records_failed: row.recordsFailed,
    records_suppressed: row.recordsSuppressed,
    fields_left_out: row.fieldsLeftOut,
    records_deleted: row.recordsDeleted,
    dry_run: row.dryRun,
    retires: row.retires ? true : undefined,
    scheduled_for: row.scheduledFor?.toISOString(),
    last_record_at: row.lastRecordAt?.toISOString(),
    stalled: row.stalled,
    waits_for: row.waitsFor ? { job_id: encodeId('job', row.waitsFor.id), status: row.waitsFor.status } : undefined,
    mode: row.mode,
    external_id: row.externalId ?? undefined,
    outcome: row.outcome ?? undefined,
    record_id: row.record ? encodeId(recordIds[row.record.kind], row.record.id) : undefined,
    identity_id: row.record?.identityId ? encodeId('identity', row.record.identityId) : undefined,
    note: [row.whyFull, row.note].filter((note) => note !== null).join('; ') || undefined,
    decision: row.decision ?? undefined,
  };
}

export function presentPlan(
  job: JobRow,
  { plan, counts, entries, examples }: Omit<JobPlan, 'total'>,
  names: ReadonlyMap<string, string> = new Map(),
): Omit<responses.SyncPlan, keyof responses.PageFields> {
  return {
    job_id: encodeId('job', job.id),
    status: job.status,
    dry_run: job.dryRun,
    // Nothing of it is left to decide.
    state: plan?.state === 'held' && job.status === 'cancelled' ? 'cancelled' : (plan?.state ?? 'open'),
    known: plan?.known ?? undefined,
    note: plan?.note ?? undefined,
    reasons: (plan?.reasons ?? []).map((reason, at) => ({ ...reason, examples: examples[at] ?? [] })),
    counts: {
      create: counts.create ?? 0,
      update: counts.update ?? 0,
      disable: counts.disable ?? 0,
      delete: counts.delete ?? 0,
    },
    data: entries.map((entry) => presentPlanEntry(entry, names)),
  };
}

function presentPlanEntry(row: PlanEntryRow, names: ReadonlyMap<string, string>): responses.SyncPlan['data'][number] {
  return {
    action: row.action,
    record: {
      // A planned record has no id yet.
      id: row.basedOn === null ? undefined : encodeId(recordIds[row.kind], row.recordId),
      kind: row.kind,
      external_id: row.externalId,
    },
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    display_name: row.identityId === null ? undefined : names.get(row.identityId),
    changes: row.changes,
    done: row.done,
  };
}

export function presentWebhook(row: WebhookRow): responses.Webhook {
  return {
    id: encodeId('webhook', row.id),
    callback_url: row.callbackUrl,
    events: row.events,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    ...(row.filter && { filter: row.filter }),
    ...(row.payload === 'thin' && { payload: row.payload }),
    ...(row.headerNames.length > 0 && { header_names: row.headerNames }),
    ...(row.disabledAt && { disabled_at: row.disabledAt.toISOString() }),
    ...(row.disabledReason && { disabled_reason: row.disabledReason }),
  };
}

export function presentEvent(row: EventRow): responses.LifecycleEvent {
  return {
    id: encodeId('event', row.id),
    event_type: row.type,
    occurred_at: row.occurredAt.toISOString(),
    details: row.details,
  };
}

export function presentOperation(row: OperationRow): responses.Operation {
  return {
    operation_id: encodeId('operation', row.id),
    type: row.type,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString(),
    reason: row.input.reason,
    preview: row.input.preview === true ? true : undefined,
    result: row.result === null ? undefined : publicResult(row.type, row.result),
    reverted_by: row.revertedBy === null ? undefined : encodeId('operation', row.revertedBy),
  };
}

export function presentCase(row: CaseRow): responses.ReviewCase {
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

export function presentGroup({ id, name, connectorId, createdAt }: GroupRow): responses.Group {
  return {
    id: encodeId('group', id),
    name,
    source_id: encodeId('connector', connectorId),
    created_at: createdAt.toISOString(),
  };
}

/** Presents an account with the name of its identity. */
export function presentAccount(row: AccountRow, identityName: string | undefined): responses.AccountDetails {
  return {
    id: encodeId('account', row.id),
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    identity_name: identityName,
    connector_id: encodeId('connector', row.connectorId),
    external_id: row.externalId,
    identifier: row.fields.identifier?.[0] ?? row.externalId,
    display_name: row.fields.display_name?.[0],
    status: row.status,
    values: row.fields,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Presents a machine identity with the names of its people, by the ids of their identities. */
export function presentMachine(row: MachineRow, names: ReadonlyMap<string, string>): responses.MachineIdentityDetails {
  const isDecommissioned = row.status === 'decommissioned';
  return {
    id: encodeId('machineIdentity', row.id),
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    connector_id: encodeId('connector', row.connectorId),
    external_id: row.externalId,
    display_name: row.fields.display_name?.[0] ?? row.externalId,
    status: row.status,
    classification: row.fields.classification?.[0],
    handed_over: row.machine?.handedOver ?? false,
    people: machineReferences.map((role) => {
      const identityId = row.references.find((each) => each.role === role)?.identityId;
      return {
        role,
        named: row.fields[role]?.[0],
        identity_id: identityId === undefined ? undefined : encodeId('identity', identityId),
        name: names.get(identityId ?? ''),
      };
    }),
    values: row.fields,
    risk_score: row.machine?.risk.score ?? 0,
    risk_factors: row.machine?.risk.factors ?? [],
    next_review_at: isDecommissioned ? undefined : row.dueAt?.toISOString(),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
