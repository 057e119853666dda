import type { Safeguard } from '@idsync/contracts';
import type { StoredRecord, SyncPlan } from '@idsync/database';
import { isLiving } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';

/** What a safeguard counts. */
export type Harm = 'delete' | 'disable';

const stopped = new Set(['suspended', 'inactive', 'disabled']);

/** What a change takes away from somebody who had it. */
export function harmOf({ record, before }: RecordChange): Harm | undefined {
  if (!before || !isLiving(before)) return undefined;
  if (!isLiving(record)) return 'delete';
  return isStopped(record) && !isStopped(before) ? 'disable' : undefined;
}

function isStopped(record: StoredRecord): boolean {
  return stopped.has(record.status);
}

/** How many records a run may take away without asking: up to the percentage, or up to the number, whichever is more. */
export function allowance(guard: Safeguard, known: number, harm: Harm): number {
  const [percent, records] =
    harm === 'delete'
      ? [guard.max_deleted_percent, guard.max_deleted_records]
      : [guard.max_disabled_percent, guard.max_disabled_records];
  return Math.max(records, Math.floor((known * percent) / 100));
}

/** Why an operator must decide; undefined if the run, with what those of the last day took, stays within its safeguard. */
export function whyHeld(
  guard: Safeguard,
  plan: Pick<SyncPlan, 'deletions' | 'disables'> & { known: number },
  sourceIsEmpty: boolean,
  recent: Pick<SyncPlan, 'deletions' | 'disables'> = { deletions: 0, disables: 0 },
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
    reasons.push(`delete all ${deletions} records, for the source is empty`);
  }
  if (disables > 0 && disables + recent.disables > allowance(guard, known, 'disable')) {
    reasons.push(
      `disable ${count(disables, recent.disables)} of ${known} records, more than ${guard.max_disabled_percent} % and more than ${guard.max_disabled_records}`,
    );
  }
  return reasons.length > 0 ? `held back: it would ${reasons.join('; and ')}` : undefined;
}
