import type { PersonStatus } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database';
import { type LifecycleFacts, nextDue, retentionMs } from './lifecycle.js';
import { nextReview } from './machine-risk.js';
import { isLiving } from './matching/record-keys.js';
import type { RecordChange } from './record-change.js';

/** Writes on a changed record since when it has its status, and when time alone will change it. */
export function stampLifecycle({ record, before }: RecordChange, now: Date): void {
  if (record === before) return;
  record.statusSince = before?.status === record.status ? before.statusSince : now;
  record.dueAt = dueAt(record, now);
}

export function factsOf(fields: Readonly<Record<string, readonly string[]>>): LifecycleFacts {
  const said = fields.status?.[0] as PersonStatus | undefined;
  const hired = fields.hire_date?.[0];
  return { ...(said && { said }), ...(hired !== undefined && { hireDate: new Date(hired) }) };
}

function dueAt(record: StoredRecord, now: Date): Date | undefined {
  if (!isLiving(record)) return isGone(record) ? new Date(record.statusSince.getTime() + retentionMs) : undefined;
  if (record.kind === 'machine_identity') return nextReview(record.fields, now);
  if (record.kind !== 'user') return undefined;
  return nextDue({ status: record.status as PersonStatus, since: record.statusSince }, factsOf(record.fields));
}

/** Its source lists it no more, or says itself that it is deleted: nothing would bring it back once it is purged. */
function isGone(record: StoredRecord): boolean {
  const said = record.fields.status?.[0];
  return record.contentHash.length === 0 || said === 'deleted' || said === 'decommissioned';
}
