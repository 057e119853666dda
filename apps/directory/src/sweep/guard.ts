import type { Safeguard } from '@idsync/contracts';
import type { JobState, StoredRecord, SyncPlan } from '@idsync/database/directory';
import { isDeleted } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';

/** Actions that the deletion safeguard counts. */
export type DestructiveAction = 'delete' | 'disable';

/** Counts of the records of a run. */
export type RunRecords = Pick<JobState, 'recordsRead' | 'recordsFailed' | 'recordsRetried'>;

const stopped = new Set(['suspended', 'inactive', 'disabled']);

/** Returns `delete` or `disable` if the change does that to a record. */
export function destructiveActionOf({ record, before }: RecordChange): DestructiveAction | undefined {
  if (!before || isDeleted(before)) return undefined;
  if (isDeleted(record)) return 'delete';
  return isStopped(record) && !isStopped(before) ? 'disable' : undefined;
}

function isStopped(record: StoredRecord): boolean {
  return stopped.has(record.status);
}

/** Returns how many records a run may delete or disable: the percentage or the number, whichever is more. */
export function allowance(guard: Safeguard, known: number, action: DestructiveAction): number {
  const [percent, records] =
    action === 'delete'
      ? [guard.max_deleted_percent, guard.max_deleted_records]
      : [guard.max_disabled_percent, guard.max_disabled_records];
  return Math.max(records, Math.floor((known * percent) / 100));
}

/**
 * Returns the reason for a quarantine, or undefined if the run, together with the runs of the last day, stays within
 * the safeguard.
 */
export function quarantineReason(
  guard: Safeguard,
  plan: Pick<SyncPlan, 'deletions' | 'disables'> & { known: number },
  run: RunRecords,
  recent: Pick<SyncPlan, 'deletions' | 'disables'> = { deletions: 0, disables: 0 },
): string | undefined {
  const reasons = [failureReason(guard, run), removalReason(guard, plan, run.recordsRead === 0, recent)].filter(
    (reason) => reason !== undefined,
  );
  return reasons.length > 0 ? `quarantined: ${reasons.join('; and ')}` : undefined;
}

/**
 * Returns the reason if the run left out too many records. Retries do not count, because a few records that fail again
 * may be all that an incremental run reads.
 */
function failureReason(
  { max_failed_percent: percent, max_failed_records: records }: Safeguard,
  { recordsRead, recordsFailed, recordsRetried }: RunRecords,
): string | undefined {
  const read = recordsRead - recordsRetried;
  const failed = recordsFailed - recordsRetried;
  if (failed <= Math.max(records, Math.floor((read * percent) / 100))) return undefined;
  return `${failed} of ${read} records were left out, more than ${percent} % and more than ${records}`;
}

function removalReason(
  guard: Safeguard,
  plan: Pick<SyncPlan, 'deletions' | 'disables'> & { known: number },
  sourceIsEmpty: boolean,
  recent: Pick<SyncPlan, 'deletions' | 'disables'>,
): string | undefined {
  const { deletions, disables } = plan;
  const known = plan.known + recent.deletions;
  const reasons: string[] = [];
  const count = (now: number, before: number) => (before > 0 ? `${now}, after ${before} within a day,` : `${now}`);
  if (deletions > 0 && deletions + recent.deletions > allowance(guard, known, 'delete')) {
    reasons.push(
      `delete ${count(deletions, recent.deletions)} of ${known} records, more than ${guard.max_deleted_percent} % and more than ${guard.max_deleted_records}`,
    );
  } else if (sourceIsEmpty && deletions > 0) {
    reasons.push(`delete all ${deletions} records because the source is empty`);
  }
  if (disables > 0 && disables + recent.disables > allowance(guard, known, 'disable')) {
    reasons.push(
      `disable ${count(disables, recent.disables)} of ${known} records, more than ${guard.max_disabled_percent} % and more than ${guard.max_disabled_records}`,
    );
  }
  return reasons.length > 0 ? `the run would ${reasons.join('; and ')}` : undefined;
}
