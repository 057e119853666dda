import { encodeId, healthAfter, type responses } from '@idsync/contracts';
import type { ConnectorRow, DeletedConnectorRow, FailingRecordRow, LastRun } from '@idsync/database/gateway';

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

/** The configuration by an operator; the names of its secrets are not secret. */
export function describeConnector(row: ConnectorRow): object {
  const { type, name, priority, records, config, secrets, safeguard, schedule } = row;
  return { type, name, priority, records, config, protected_values: secrets, safeguard, ...(schedule && { schedule }) };
}

/** Returns what clients may know of a connector: no configuration and no texts of the source. */
export function presentConnectorSummary(row: ConnectorRow): responses.ConnectorSummary {
  const { id, name, type, records, health, complete_as_of } = presentConnector(row);
  return { id, name, type, records, health, complete_as_of };
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
