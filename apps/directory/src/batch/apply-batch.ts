import { countingRows, type Message, type SourceRecord } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { committedWith, enqueue, markReceived } from '@idsync/database/bus';
import {
  deleteBatchState,
  findBatch,
  findGuardOfPeople,
  isBatchGone,
  lockRecordsByAnchor,
  recordAppliedBatch,
  saveSeenRecords,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import { causedAt, loadTenant } from '../changes/cause.js';
import { type AppliedBatch, repeatedBatches } from '../shared/metrics.js';
import { requireAccessKept, settingAside } from '../sweep/access.js';
import { contradictHeldPlan } from '../sweep/beside-held-job.js';
import { withSoonEnd } from '../sweep/ends-soon.js';
import { planChanges, planRemovals } from '../sweep/plan-changes.js';
import { separateReused } from '../sweep/reused-ids.js';
import { reportsDeletions } from '../sweep/run-counts.js';
import { setAside } from '../sweep/set-aside.js';
import { type AccessChanges, asOne, type Divide, inHalves, isFaultOfRecord } from './divide-batch.js';
import { peopleLimit, withinQuota } from './people-quota.js';
import { Overtaken, ProposedTimes } from './proposed-times.js';
import { type ChangedRecords, findChanges, repeatedRecord, reportOvertaken } from './read-batch.js';
import { clearNote, partByPart, saveStop } from './suspect-batch.js';
import { WorkGate } from './work-gate.js';

export interface BatchDelivery {
  /** 1 on the first delivery of its message. */
  attempt?: number;
  gate?: WorkGate;
  times?: ProposedTimes;
  /** Replaces the clock in tests. */
  fixedTime?: Date | undefined;
}

const anchorsOf = (records: readonly SourceRecord[]) => records.map(({ external_id }) => external_id);

/** Result of an applied part. Its records are not retained, because those of all parts may exceed the memory. */
type AppliedPart = Pick<ChangedRecords, 'knownIds' | 'createdIds' | 'overtaken' | 'unusable'> & {
  created: number;
  updated: number;
  unchanged: number;
};

/** How a batch is applied. */
interface Application {
  divide: Divide;
  suspected?: boolean;
  proposesTime?: boolean;
}

/** Thrown for a batch that may have crashed a process and must therefore be applied alone. */
class SuspectBatch extends Error {}

/**
 * Applies one batch in one transaction: records, identities, documents, history, totals and their outbox messages. A
 * second delivery of the message changes nothing. A record that cannot be applied is skipped and reported; the others
 * are applied. Returns the counts, or undefined if the batch was not applied.
 */
export async function applyBatch(
  database: Database,
  message: Message<'sync.batch.ready'>,
  { attempt = 1, gate = new WorkGate(), times = new ProposedTimes(), fixedTime }: BatchDelivery = {},
): Promise<AppliedBatch | undefined> {
  const { tenant_id: tenantId } = message;
  const once = (how: Application) =>
    settingAside((found) => database.transaction(tenantId, (tx) => apply(tx, message, { ...how, fixedTime, found })));
  const asWhole = () => gate.shared(() => once({ divide: asOne, proposesTime: times.mayPropose(tenantId) }));
  try {
    // A message is redelivered if its process crashed or its handler failed.
    if (attempt > 1) throw new SuspectBatch();
    return await asWhole().catch((error) => {
      if (!(error instanceof Overtaken)) throw error;
      times.refused(tenantId);
      repeatedBatches.add({});
      return asWhole();
    });
  } catch (error) {
    if (error instanceof SuspectBatch) return gate.alone(() => applySuspect(database, message, once));
    if (!isFaultOfRecord(error)) throw error;
    return gate.alone(() => once({ divide: inHalves }));
  }
}

async function applySuspect(
  database: Database,
  { id, tenant_id: tenantId, data }: Message<'sync.batch.ready'>,
  once: (how: Application) => Promise<AppliedBatch | undefined>,
): Promise<AppliedBatch | undefined> {
  const isRepublished = await database.transaction(tenantId, async (tx) => {
    const batch = await findBatch(tx, data.job_id, data.seq);
    const isDivided = batch !== undefined && (await saveStop(tx, data, batch.mode));
    if (isDivided) await markReceived(tx, id);
    return isDivided;
  });
  if (isRepublished) return undefined;
  try {
    return await once({ divide: partByPart(database, tenantId, data), suspected: true });
  } catch (error) {
    await clearNote(database, tenantId, data);
    throw error;
  }
}

async function apply(
  tx: Transaction,
  { id, tenant_id: tenantId, data }: Message<'sync.batch.ready'>,
  {
    divide,
    suspected = false,
    proposesTime = false,
    fixedTime,
    found: access,
  }: Application & { fixedTime: Date | undefined; found: AccessChanges },
): Promise<AppliedBatch | undefined> {
  if (!(await markReceived(tx, id))) return undefined;
  const found = await findBatch(tx, data.job_id, data.seq);
  if (!found && (await isBatchGone(tx, data.job_id, data.seq))) return undefined;
  const batch = committedWith(found, 'the batch');
  if (batch.jobStatus === 'cancelled') return undefined;
  if (batch.isSuspect && !suspected) throw new SuspectBatch();

  const limit = await peopleLimit(tx, batch.kind);
  // With a limit, one transaction at a time adds users.
  const isAlone = batch.kind === 'machine_identity' || limit !== undefined;
  const tenant = await loadTenant(tx, isAlone);
  const { connectorId, kind } = batch;
  const { job_id: jobId, seq } = data;
  const job = { id: jobId, connectorId };
  const cause = { ...tenant, jobId, ...causedAt(fixedTime), proposesTime: proposesTime && fixedTime === undefined };
  const { now } = cause;
  // The sync-worker has validated every record.
  const listed = JSON.parse(batch.records) as SourceRecord[];
  const present = listed.filter(({ removed }) => !removed);
  // A batch that was announced twice is already applied; only its answer is sent again.
  const isNew = await recordAppliedBatch(tx, { jobId, seq, connectorId });
  const guard = await findGuardOfPeople(tx, batch);
  const isPartial = reportsDeletions(batch);
  if (isPartial && isNew) await planRemovals(tx, job, seq, listed);
  // Locked before the comparison, so that a concurrent job's write to this record is visible.
  if (batch.mode === 'record') await lockRecordsByAnchor(tx, connectorId, anchorsOf(listed));

  const { counting: records, repeated } = countingRows(present, isPartial ? undefined : now);
  const parts: AppliedPart[] = [];
  const contradicts = isNew && !batch.dryRun && batch.mode !== 'record';
  const leftOut = await divide(tx, records, async (some) => {
    const found = await findChanges(
      tx,
      { jobId, seq, connectorId, kind, policy: tenant.policy, rules: cause.rules, now, ranksRows: !isPartial },
      some,
    );
    const changes = isNew ? found.changes.map((change) => withSoonEnd(change, guard, cause)) : [];
    const waiting = { ...access, guard, contested: found.contested };
    const incoming = new Map(some.map((record) => [record.external_id, record]));
    // The safeguard covers mass changes; in mode record, a client named this one record.
    const { applied, taking } =
      batch.mode === 'record' || batch.dryRun
        ? { applied: separateReused(changes, cause.rules, now), taking: access.takers }
        : await setAside(tx, cause, job, changes, incoming, waiting);
    const { admitted, leftOut: beyond } = await withinQuota(tx, batch.dryRun ? undefined : limit, applied);
    if (batch.dryRun) await planChanges(tx, cause, job, changes, incoming, guard);
    else {
      const settled = await applyChanges(tx, { ...cause, groups: found.groups }, admitted);
      if (batch.mode !== 'record') requireAccessKept(settled, admitted);
    }
    if (contradicts) await contradictHeldPlan(tx, job, some, changes, { ...waiting, takers: taking }, cause.rules);
    const absent = new Set(beyond.map(({ external_id }) => external_id));
    const kept = changes.filter(({ record }) => !absent.has(record.externalId));
    const created = kept.filter(({ before }) => !before).length;
    const keptIds = new Set(kept.map(({ record }) => record.id));
    parts.push({
      knownIds: found.knownIds,
      createdIds: found.createdIds.filter((id) => keptIds.has(id)),
      overtaken: found.overtaken,
      unusable: [...found.unusable, ...beyond],
      created,
      updated: kept.length - created,
      unchanged: found.unchanged + found.changes.length - changes.length,
    });
  });
  if (isNew) await saveSeenRecords(tx, { jobId, seq, isPartial }, parts);
  await reportOvertaken(tx, jobId, isNew ? parts.flatMap(({ overtaken }) => overtaken) : []);
  const sum = (count: 'created' | 'updated' | 'unchanged') => parts.reduce((total, part) => total + part[count], 0);
  const counts = { created: sum('created'), updated: sum('updated'), unchanged: sum('unchanged') };
  counts.unchanged += listed.length - present.length;
  const errors = [...repeated.map(repeatedRecord), ...parts.flatMap(({ unusable }) => unusable), ...leftOut];
  if (suspected) await deleteBatchState(tx, jobId, seq);
  await enqueue(tx, {
    type: 'sync.batch.applied',
    tenantId,
    data: { job_id: jobId, seq, ...counts, errors },
  });
  return { ...counts, failed: errors.length };
}
