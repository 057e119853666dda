import { encodeId, isRealDate, type Safeguard, type SourceRecord } from '@idsync/contracts';
import { type PlanEntry, planMarks, statusOfIdentity } from '@idsync/database/directory';
import { boundChanges, diffFields } from '../bound-changes.js';
import type { KeyRules } from '../matching/key-rules.js';
import type { RecordChange } from '../record-change.js';
import { sameValues } from '../value-sets.js';
import type { Step } from './access-tally.js';
import { destructiveActionOf, isEnabled } from './guard.js';
import { isReused } from './reused-ids.js';

/**
 * Returns the plan entry of a change: the action, the changed values, the source's record and the version it is based
 * on.
 */
export function planEntry(
  { record, before, losesAt }: RecordChange,
  incoming: SourceRecord,
  identityId = before?.identityId,
): Omit<PlanEntry, 'id'> {
  const source = encodeId('connector', record.connectorId);
  const values = diffFields(before?.fields ?? {}, record.fields, source).filter(({ field }) => field !== 'status');
  const status =
    before?.status === record.status && losesAt === undefined
      ? []
      : [{ field: 'status', ...(before && { from: before.status }), to: shownStatus(record.status, losesAt), source }];
  return {
    seq: record.lastSeq,
    action: before ? (destructiveActionOf({ record, before, ...(losesAt && { losesAt }) }) ?? 'update') : 'create',
    recordId: record.id,
    kind: record.kind,
    externalId: record.externalId,
    identityId,
    changes: boundChanges([...values, ...status]).changes,
    incoming: JSON.stringify(incoming),
    basedOn: before?.updatedAt,
  };
}

function shownStatus(status: string, losesAt: Date | undefined): string {
  return losesAt ? `inactive from ${losesAt.toISOString()}` : status;
}

/** A change that takes access from its person waits like a disable, and shows the statuses of the identity. */
export function takesAccess<Entry extends Omit<PlanEntry, 'id'>>(entry: Entry, loss: Step | undefined): Entry {
  if (!loss || entry.action === 'disable' || entry.action === 'delete') return entry;
  return {
    ...entry,
    action: 'disable',
    changes: [...entry.changes, { field: statusOfIdentity, ...loss }],
    changedFields: [...(entry.changedFields ?? []), planMarks.losing],
  };
}

/** A change that gives access to its person counts as one that enables a record. */
export function givesAccess<Entry extends Omit<PlanEntry, 'id'>>(entry: Entry, gain: Step | undefined): Entry {
  const { changedFields = [] } = entry;
  if (!gain || changedFields.includes(planMarks.enabled)) return entry;
  return {
    ...entry,
    changes: [...entry.changes, { field: statusOfIdentity, ...gain }],
    changedFields: [...changedFields, planMarks.gaining],
  };
}

/**
 * Returns what the safeguard counts of a change: the fields that it changes, a return to `active`, and an external id that
 * belongs to another person now.
 */
export function countedChanges(
  change: RecordChange,
  guard: Pick<Safeguard, 'changed_fields'> | undefined,
  rules: KeyRules,
): string[] {
  const fields = guard ? changedFieldsOf(change, guard.changed_fields) : [];
  return [
    ...fields,
    ...(isEnabled(change) ? [planMarks.enabled] : []),
    ...(isReused(change, rules) ? [planMarks.reused] : []),
  ];
}

/**
 * Returns those of the fields whose stored value changes or is lost. A value where there was none is no loss, except the
 * date on which the person will lose access.
 */
function changedFieldsOf(
  { record, before }: Pick<RecordChange, 'record' | 'before'>,
  fields: readonly string[],
): string[] {
  if (!before) return [];
  return fields.filter((field) => {
    const from = before.fields[field];
    const isNewEnd = field === 'termination_date' && record.fields[field]?.some(isRealDate) === true;
    return ((from !== undefined && from.length > 0) || isNewEnd) && !sameValues(from ?? [], record.fields[field]);
  });
}
