import { checkSchedule, nextRun, type PlannedRun } from '@idsync/connectors';
import { healthAfter, suspendedAfter } from '@idsync/contracts';
import {
  type DueConnector,
  findDueConnectors,
  findUnfinishedJob,
  insertScheduledJob,
  lockSchedule,
  type ScheduleState,
  savePlannedRun,
  saveSkippedRun,
  type Transaction,
} from '@idsync/database';
import type { Chore } from '@idsync/messaging';
import type { SyncContext } from './sync-context.js';

/** A source that fails and fails is looked at as often as that, unless its schedule is slower. */
const longestPauseMs = 6 * 60 * 60_000;

/** Connectors a look. */
const portion = 100;

/** Makes the jobs that are due by a schedule, and tells `made` when there are any, and `looked` how late they are. */
export function scheduledRuns(context: SyncContext, made: () => void, looked: (lagSeconds: number) => void): Chore {
  return { name: 'making scheduled jobs', portion, run: () => makeDueJobs(context, made, looked) };
}

/** Plans and makes what is due, a connector a transaction: one that fails keeps no other waiting. Returns how many it saw to. */
export async function makeDueJobs(
  { database, log }: SyncContext,
  made: () => void,
  looked: (lagSeconds: number) => void = () => undefined,
): Promise<number> {
  const due = await database.transaction(undefined, (tx) => findDueConnectors(tx, portion));
  looked(Math.max(0, ...due.map(({ seconds }) => seconds)));
  let seenTo = 0;
  for (const connector of due) {
    try {
      const outcome = await database.transaction(connector.tenantId, (tx) => seeTo(tx, connector));
      if (outcome !== 'passed by') seenTo += 1;
      if (outcome === 'made') made();
    } catch (error) {
      log.warn(`connector ${connector.id} not scheduled: ${String(error)}`);
    }
  }
  return seenTo;
}

/**
 * Whoever holds the lock makes the job and plans the next, so that a due time is one job; the others pass by. So do all where
 * the schedule or the connector is gone, and it is not looked at again.
 */
async function seeTo(tx: Transaction, connector: DueConnector): Promise<'made' | 'planned' | 'passed by'> {
  const state = await lockSchedule(tx, connector);
  if (!state) return 'passed by';
  if (state.stored === null) {
    await savePlannedRun(tx, connector, null, undefined, state.lastDueAt);
    return 'passed by';
  }
  const made = state.isDue && (await makeJob(tx, connector, state.dueAt ?? state.now));
  const lastDueAt = state.isDue ? state.dueAt : state.lastDueAt;
  await savePlannedRun(tx, connector, state.stored, plan(state, lastDueAt), lastDueAt);
  return made ? 'made' : 'planned';
}

/** A run never overlaps another of its connector: what is missed so is in the next. */
async function makeJob(tx: Transaction, connector: DueConnector, dueAt: Date): Promise<boolean> {
  const unfinished = await findUnfinishedJob(tx, connector.id);
  if (unfinished === undefined && (await insertScheduledJob(tx, connector, dueAt))) return true;
  await saveSkippedRun(tx, connector, `another job of the connector was ${unfinished ?? 'queued'}`);
  return false;
}

/** One that is suspended pauses for twice as long as it would, and twice as long again with each failure. */
function plan(state: ScheduleState, lastDueAt: Date | null): PlannedRun | undefined {
  const { schedule, now, failures, lastFailedAt } = state;
  // Of an older release, or of a time zone that is no more: never, and not again and again.
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
