import { healthAfter, suspendedAfter } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type DueConnector,
  findDueConnectors,
  findUnfinishedJob,
  insertScheduledJob,
  lockSchedule,
  type ScheduleState,
  savePlannedRun,
  saveSkippedRun,
} from '@idsync/database/sync';
import { checkSchedule, nextRun, type PlannedRun } from '@idsync/runtime';
import type { SyncContext } from './sync-context.js';

/** Maximum pause of a suspended connector, unless its schedule has a longer interval. */
const longestPauseMs = 6 * 60 * 60_000;

export const batchSize = 100;

/**
 * Creates and plans due jobs, with one transaction per connector, so that errors stay separate. Calls `created` for each
 * job, and `polled` with the delay of the most overdue run. Returns the number of processed connectors.
 */
export async function createDueJobs(
  { database, log }: SyncContext,
  created: () => void,
  polled: (lagSeconds: number) => void = () => undefined,
): Promise<number> {
  const due = await database.acrossTenants((tx) => findDueConnectors(tx, batchSize));
  polled(Math.max(0, ...due.map(({ seconds }) => seconds)));
  let processed = 0;
  for (const connector of due) {
    try {
      const outcome = await database.transaction(connector.tenantId, (tx) => processDue(tx, connector));
      if (outcome !== 'skipped') processed += 1;
      if (outcome === 'created') created();
    } catch (err) {
      log.warn({ err, connector_id: connector.id }, 'scheduling a connector failed');
    }
  }
  return processed;
}

/**
 * Creates the job and plans the next one under a lock, so that each due time creates one job in one process. A
 * connector without a schedule is skipped and not polled again.
 */
async function processDue(tx: Transaction, connector: DueConnector): Promise<'created' | 'planned' | 'skipped'> {
  const state = await lockSchedule(tx, connector);
  if (!state) return 'skipped';
  if (state.stored === null) {
    await savePlannedRun(tx, connector, null, undefined, state.lastDueAt);
    return 'skipped';
  }
  const created = state.isDue && (await createJob(tx, connector, state.dueAt ?? state.now));
  const lastDueAt = state.isDue ? state.dueAt : state.lastDueAt;
  await savePlannedRun(tx, connector, state.stored, plan(state, lastDueAt), lastDueAt);
  return created ? 'created' : 'planned';
}

/** Skips the run if another job of the connector is unfinished; the next run reads the missed changes. */
async function createJob(tx: Transaction, connector: DueConnector, dueAt: Date): Promise<boolean> {
  const unfinished = await findUnfinishedJob(tx, connector.id);
  if (unfinished === undefined && (await insertScheduledJob(tx, connector, dueAt))) return true;
  await saveSkippedRun(tx, connector, `another job of the connector was ${unfinished ?? 'queued'}`);
  return false;
}

/** Plans the next run. A suspended connector pauses for twice its interval, doubling with each failure. */
function plan(state: ScheduleState, lastDueAt: Date | null): PlannedRun | undefined {
  const { schedule, now, failures, lastFailedAt } = state;
  // The time zone of a schedule may no longer exist; such a schedule is not planned again.
  if (!schedule || checkSchedule(schedule, now) !== undefined) return undefined;
  const last = lastDueAt ?? now;
  const next = nextRun(schedule, { now, last }, Math.random());
  if (!next || !lastFailedAt || healthAfter(failures) !== 'suspended') return next;
  const following = nextRun(schedule, { now: next.due, last }, 0);
  const usualMs = (following?.due.getTime() ?? Number.POSITIVE_INFINITY) - next.due.getTime();
  const pauseMs = Math.min(longestPauseMs, usualMs * 2 ** (failures - suspendedAfter + 1));
  const from = new Date(Math.max(now.getTime(), lastFailedAt.getTime() + pauseMs - 1));
  return nextRun(schedule, { now: from, last }, Math.random());
}
