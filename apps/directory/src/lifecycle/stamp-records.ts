import type { LifecyclePolicy, PersonStatus } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import type { TimedCause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { nextReview } from '../machines/machine-risk.js';
import { isDeleted, isGone } from '../matching/record-keys.js';
import { sameValues } from '../shared/collections.js';
import { employmentOf, employmentRules, nextDue, nextStatus, retentionMs } from './lifecycle.js';

/**
 * Sets the start of a changed record's status, `at`, and the time of its next time-based change after `now`, up to which
 * its status was computed.
 */
export function stampLifecycle(
  { record, before }: RecordChange,
  policy: LifecyclePolicy,
  { now, at }: { now: Date; at: Date },
): void {
  if (record === before) return;
  record.statusSince = before?.status === record.status ? before.statusSince : at;
  record.dueAt = dueAt(record, policy, now);
}

/** Returns a copy of a record with its status at this time. */
export function withCurrentStatus(before: StoredRecord, policy: LifecyclePolicy, now: Date): StoredRecord {
  // placeMachines computes the time-based changes of machines.
  if (before.kind !== 'user') return { ...before };
  const state = { status: before.status as PersonStatus, since: before.statusSince };
  const rules = employmentRules(policy, before.connectorId);
  const status = nextStatus(state, employmentOf(before.fields, rules), rules, now);
  return { ...before, status, updatedAt: status === before.status ? before.updatedAt : now };
}

function dueAt(record: StoredRecord, policy: LifecyclePolicy, now: Date): Date | undefined {
  if (isDeleted(record))
    return isGone(record) ? new Date(record.statusSince.getTime() + retentionMs(policy)) : undefined;
  if (record.kind === 'machine_identity') return nextReview(record.fields, now);
  if (record.kind !== 'user') return undefined;
  const rules = employmentRules(policy, record.connectorId);
  const state = { status: record.status as PersonStatus, since: record.statusSince };
  return nextDue(state, employmentOf(record.fields, rules), rules);
}

/**
 * Replaces the preliminary times of changed records, which were set before the tenant's sequence was locked. A date that
 * is not the object of `before` is preliminary.
 */
export function stampTimes(changes: Iterable<RecordChange>, { now, at }: Pick<TimedCause, 'now' | 'at'>): void {
  const [preliminary, assigned] = [now.toISOString(), at.toISOString()];
  for (const { record, before } of changes) {
    if (record === before) continue;
    if (record.updatedAt !== before?.updatedAt) record.updatedAt = at;
    if (!before) record.createdAt = at;
    if (record.evidence?.at === preliminary) record.evidence = { ...record.evidence, at: assigned };
    record.changedAt = Object.fromEntries(
      Object.entries(record.changedAt).map(([field, time]) => {
        const isChanged = time === preliminary && !sameValues(before?.fields[field], record.fields[field]);
        return [field, isChanged ? assigned : time];
      }),
    );
  }
}
