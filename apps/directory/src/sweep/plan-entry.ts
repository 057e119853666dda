import { encodeId, type SourceRecord } from '@idsync/contracts';
import { type PlanEntry, planMarks, statusOfIdentity } from '@idsync/database/directory';
import { boundChanges } from '../bound-changes.js';
import { diffFields } from '../diff-fields.js';
import type { RecordChange } from '../record-change.js';
import type { Step } from './access-tally.js';
import { destructiveActionOf } from './guard.js';

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
