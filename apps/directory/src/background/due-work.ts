import type { Database, Transaction } from '@idsync/database';
import { assignTime } from '@idsync/database/bus';
import {
  addToCounters,
  type DueTenant,
  findDueRecords,
  findSourceFacts,
  lockDueRecords,
  purgeErasedIdentities,
  saveNextDue,
  takeUnansweredOperations,
} from '@idsync/database/directory';
import { findFindingPolicy } from '@idsync/database/settings';
import { republish } from '@idsync/messaging';
import type { Logger } from '@idsync/runtime';
import { runChunk } from '../batch/divide-batch.js';
import { applyChanges } from '../changes/apply-changes.js';
import { causedAt, loadTenant } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { evaluateFindings } from '../findings/evaluate-findings.js';
import { staleTime } from '../findings/findings-of.js';
import { withCurrentStatus } from '../lifecycle/stamp-records.js';
import { proposeMatches } from '../matching/propose-matches.js';
import { isDeleted } from '../matching/record-keys.js';
import { deriveAgain } from './derive-again.js';

/** Does the background work of a tenant, and saves when there is more. A failure leaves the tenant due. */
export async function doDueWork(database: Database, log: Logger, tenant: DueTenant, until: Date): Promise<void> {
  const { id: tenantId } = tenant;
  await republishOperations(database, tenantId);
  const done = await applyDue(database, tenantId);
  if (done > 0) log.info({ tenant_id: tenantId, records: done }, 'applied time-based changes');
  const derived = await deriveAgain(database, tenantId, { until });
  if (derived > 0) log.info({ tenant_id: tenantId, rows: derived }, 'derived rows of an older version again');
  // Before matching, whose queue may be long.
  await evaluateFindings(database, tenantId, { until });
  // A quarantined job postpones matching and sends no end message, so the queue is also processed here.
  await proposeMatches(database, tenantId, { until });
  await saveDue(database, tenant);
}

async function saveDue(database: Database, tenant: DueTenant): Promise<void> {
  await database.transaction(tenant.id, async (tx) => {
    const policy = await findFindingPolicy(tx);
    const stale = (await findSourceFacts(tx)).flatMap((source) => staleTime(source, policy)?.getTime() ?? []);
    const next = Math.min(...stale.filter((at) => at > Date.now()));
    await saveNextDue(tx, tenant, unansweredMs / 1_000, Number.isFinite(next) ? new Date(next) : undefined);
  });
}

/** Records per transaction. */
const chunkSize = 500;

/**
 * Applies the time-based changes of one tenant: activates users on their hire date, deletes leavers after the grace
 * period and purges expired tombstones. Due times are stored, so downtime misses nothing. Returns the number of
 * records.
 */
export async function applyDue(database: Database, tenantId: string, fixedTime?: Date): Promise<number> {
  const time = causedAt(fixedTime);
  while ((await database.transaction(tenantId, (tx) => purgeErased(tx, time.now))) === chunkSize);
  let done = 0;
  // Employments begin before others end, so that no person loses access in between.
  for (const begin of [true, false]) {
    for (let more = true; more; ) {
      const taken = await runChunk(database, tenantId, chunkSize, (tx, size) =>
        changeDue(tx, time, { begin, limit: size }),
      );
      done += taken.count;
      more = taken.more;
    }
  }
  return done;
}

async function purgeErased(tx: Transaction, now: Date): Promise<number> {
  const purged = await purgeErasedIdentities(tx, now, chunkSize);
  // No event reports a purge, but lists change.
  if (purged.length > 0) await assignTime(tx);
  const counts = purged.map((identity) => ({ ...identity, resource: 'identity' as const, by: -1 }));
  await addToCounters(tx, counts);
  return purged.length;
}

async function changeDue(
  tx: Transaction,
  time: ReturnType<typeof causedAt>,
  part: { begin: boolean; limit: number },
): Promise<{ count: number; more: boolean }> {
  const { now } = time;
  const due = await findDueRecords(tx, now, part);
  if (due.length === 0) return { count: 0, more: false };
  const tenant = await loadTenant(tx);
  const changes = (await lockDueRecords(tx, due, now)).map((before): RecordChange => {
    if (isDeleted(before)) return { before, record: { ...before }, removed: true };
    return { before, record: withCurrentStatus(before, tenant.policy, now) };
  });
  await applyChanges(tx, { ...tenant, ...time }, changes);
  return { count: changes.length, more: changes.length === part.limit };
}

/** Age of a queued operation after which its message counts as lost. */
const unansweredMs = 15 * 60_000;
const atATime = 100;

/**
 * Republishes lost messages of queued operations, or operations that wait for the end of a sync job, and returns their
 * number. A message of a completed operation has no effect.
 */
export async function republishOperations(
  database: Database,
  tenantId: string,
  which: { olderThanMs: number } | 'waiting' = { olderThanMs: unansweredMs },
): Promise<number> {
  return database.transaction(tenantId, async (tx) => {
    const operations = await takeUnansweredOperations(tx, which, atATime);
    return republish(tx, 'directory.operation.requested', operations, ({ id }) => ({
      operation_id: id,
    }));
  });
}
