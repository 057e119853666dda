import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type StoredRecord, saveLifecyclePolicy } from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import { type Cause, loadTenant } from '../cause.js';
import { isDeleted } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';
import { stampLifecycle, withCurrentStatus } from '../stamp-lifecycle.js';
import { everyRecord } from './every-record.js';
import type { Outcome } from './outcome.js';

/** Saves a tenant's lifecycle policy and computes all statuses and due times by it. */
export async function changeLifecycle(
  tx: Transaction,
  tenant: Cause,
  { policy }: OperationInput<'lifecycle.change'>,
): Promise<Outcome<'lifecycle.change'>> {
  await saveLifecyclePolicy(tx, tenant.tenantId, policy, tenant.now);
  const cause = { ...tenant, ...(await loadTenant(tx, tenant.tenantId)), rerender: true };
  let changed = 0;
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const settled = await applyChanges(
      tx,
      cause,
      records.map((record) => underPolicy(record, cause)),
    );
    changed += settled.identities.length;
  }
  return { result: { identities_changed: changed } };
}

/** Returns the record itself if the policy changes neither its status nor its due time. */
function underPolicy(before: StoredRecord, { policy, now }: Cause): RecordChange {
  const record = isDeleted(before) ? { ...before } : withCurrentStatus(before, policy, now);
  stampLifecycle({ before, record }, policy, { now, at: now });
  const isSame = record.status === before.status && record.dueAt?.getTime() === before.dueAt?.getTime();
  return { before, record: isSame ? before : record };
}
