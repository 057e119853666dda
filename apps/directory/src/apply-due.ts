import type { LifecyclePolicy } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { assignTime } from '@idsync/database/bus';
import {
  addToCounters,
  findDueRecords,
  lockDueRecords,
  purgeErasedIdentities,
  type StoredRecord,
} from '@idsync/database/directory';
import { applyChanges } from './apply-changes.js';
import { causedAt, loadTenant } from './cause.js';
import { isDeleted } from './matching/record-keys.js';
import type { RecordChange } from './record-change.js';
import { runChunk } from './run-chunk.js';
import { withCurrentStatus } from './stamp-lifecycle.js';

/** Records per transaction. */
const chunkSize = 500;

/**
 * Applies the time-based changes of one tenant: activates users on their hire date, deletes leavers after the grace
 * period and purges expired tombstones. Due times are stored, so downtime misses nothing. Returns the number of
 * records.
 */
export async function applyDue(database: Database, tenantId: string, fixedTime?: Date): Promise<number> {
  const time = causedAt(fixedTime);
  while ((await database.transaction(tenantId, (tx) => purgeErased(tx, tenantId, time.now))) === chunkSize);
  let done = 0;
  // Employments begin before others end, so that no person loses access in between.
  for (const begin of [true, false]) {
    for (let more = true; more; ) {
      const taken = await runChunk(database, tenantId, chunkSize, (tx, size) =>
        changeDue(tx, tenantId, time, { begin, limit: size }),
      );
      done += taken.count;
      more = taken.more;
    }
  }
  return done;
}

async function purgeErased(tx: Transaction, tenantId: string, now: Date): Promise<number> {
  const purged = await purgeErasedIdentities(tx, tenantId, now, chunkSize);
  // No event reports a purge, but lists change.
  if (purged.length > 0) await assignTime(tx, tenantId);
  await addToCounters(
    tx,
    tenantId,
    purged.map((identity) => ({ ...identity, resource: 'identity', by: -1 })),
  );
  return purged.length;
}

async function changeDue(
  tx: Transaction,
  tenantId: string,
  time: ReturnType<typeof causedAt>,
  part: { begin: boolean; limit: number },
): Promise<{ count: number; more: boolean }> {
  const { now } = time;
  const due = await findDueRecords(tx, tenantId, now, part);
  if (due.length === 0) return { count: 0, more: false };
  const tenant = await loadTenant(tx, tenantId, due.some((each) => each.bringsReferences) ? 'alone' : 'shared');
  const ids = due.map(({ id }) => id);
  const records = await lockDueRecords(tx, ids, now);
  await applyChanges(
    tx,
    { ...tenant, ...time },
    records.map((record) => dueChange(record, tenant.policy, now)),
  );
  return { count: records.length, more: records.length === part.limit };
}

function dueChange(before: StoredRecord, policy: LifecyclePolicy, now: Date): RecordChange {
  if (isDeleted(before)) return { before, record: { ...before }, removed: true };
  return { before, record: withCurrentStatus(before, policy, now) };
}
