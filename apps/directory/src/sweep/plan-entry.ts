import { encodeId, type SourceRecord } from '@idsync/contracts';
import type { PlanEntry } from '@idsync/database';
import { diffFields } from '../diff-fields.js';
import type { RecordChange } from '../record-change.js';
import { harmOf } from './guard.js';

/** A change as a plan keeps it: what it does to the record, what was read, and how old the record was then. */
export function planEntry(
  { record, before }: RecordChange,
  incoming: SourceRecord,
  identityId = before?.identityId,
): Omit<PlanEntry, 'id'> {
  const source = encodeId('connector', record.connectorId);
  const values = diffFields(before?.fields ?? {}, record.fields, source).filter(({ field }) => field !== 'status');
  const status =
    before?.status === record.status
      ? []
      : [{ field: 'status', ...(before && { from: before.status }), to: record.status, source }];
  return {
    seq: record.lastSeq,
    action: before ? (harmOf({ record, before }) ?? 'update') : 'create',
    recordId: record.id,
    kind: record.kind,
    externalId: record.externalId,
    identityId,
    changes: [...values, ...status],
    incoming: JSON.stringify(incoming),
    basedOn: before?.updatedAt,
  };
}
