import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type StoredRecord,
  saveAttributePriorities,
  saveConnectorRank,
  saveLifecyclePolicy,
} from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import { type Cause, loadTenant } from '../cause.js';
import { isDeleted } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';
import { stampLifecycle, withCurrentStatus } from '../stamp-lifecycle.js';
import { everyRecord } from './every-record.js';
import type { Outcome } from './outcome.js';

/** Applies new priorities of the tenant or of a connector by rendering every identity again. */
export async function rankAttributes(
  tx: Transaction,
  cause: Cause,
  { priorities, connector }: OperationInput<'attributes.rank'>,
): Promise<Outcome<'attributes.rank'>> {
  if (priorities) {
    const rows = priorities.map(({ field, connector_id, priority }) => ({
      field,
      connectorId: connector_id,
      priority,
    }));
    await saveAttributePriorities(tx, cause.tenantId, rows);
  }
  if (connector) await saveConnectorRank(tx, cause.tenantId, connector);
  return applySettings(tx, cause, (record) => ({ record, before: record }));
}

/** Saves a tenant's lifecycle policy and computes all statuses and due times by it. */
export async function changeLifecycle(
  tx: Transaction,
  cause: Cause,
  { policy }: OperationInput<'lifecycle.change'>,
): Promise<Outcome<'lifecycle.change'>> {
  await saveLifecyclePolicy(tx, cause.tenantId, policy, cause.now);
  return applySettings(tx, cause, underPolicy);
}

/** Renders every identity again by the saved settings, from these changes of its records. */
async function applySettings(
  tx: Transaction,
  given: Cause,
  changeOf: (record: StoredRecord, cause: Cause) => RecordChange,
): Promise<{ result: { identities_changed: number } }> {
  const cause = { ...given, ...(await loadTenant(tx, given.tenantId)), rerender: true };
  let changed = 0;
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const changes = records.map((record) => changeOf(record, cause));
    changed += (await applyChanges(tx, cause, changes)).identities.length;
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
