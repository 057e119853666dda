import { encodeId, recordIds, type responses } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findJob, findJobErrors, type JobPlan, type JobRow, type PlanEntryRow } from '@idsync/database/gateway';
import { notFound } from '../http/api-error.js';

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

/** Returns a job with the records that it could not apply. */
export async function presentJobWithErrors(
  database: Database,
  tenantId: string,
  id: string,
): Promise<responses.JobDetails> {
  const found = await database.transaction(tenantId, async (tx) => {
    const job = await findJob(tx, id);
    return job && { job, errors: await findJobErrors(tx, id) };
  });
  if (!found) throw notFound();
  const errors = found.errors.map(({ line, externalId, field, message, sourceMessage }) => ({
    line: line ?? undefined,
    external_id: externalId ?? undefined,
    field: field ?? undefined,
    message,
    source_message: sourceMessage ?? undefined,
  }));
  return { ...presentOperatorJob(found.job), errors };
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
