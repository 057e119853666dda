import { checkSchedule, nextRun } from '@idsync/connectors';
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

/** Connectors a look. */
const portion = 100;

/** Makes the jobs that are due by a schedule, and tells `made` when there are any. */
export function scheduledRuns(context: SyncContext, made: () => void): Chore {
  return { name: 'making scheduled jobs', portion, run: () => makeDueJobs(context, made) };
}

/** Plans and makes what is due, a connector a transaction: one that fails keeps no other waiting. Returns how many it saw to. */
export async function makeDueJobs({ database, log }: SyncContext, made: () => void): Promise<number> {
  const due = await database.transaction(undefined, (tx) => findDueConnectors(tx, portion));
  let seenTo = 0;
  for (const connector of due) {
    try {
      const outcome = await database.transaction(connector.tenantId, (tx) => seeTo(tx, connector));
      if (outcome !== 'taken') seenTo += 1;
      if (outcome === 'made') made();
    } catch (error) {
      log.warn(`connector ${connector.id} not scheduled: ${String(error)}`);
    }
  }
  return seenTo;
}

/** `taken`: by another worker. Whoever holds the lock makes the job and plans the next, so that a due time is one job. */
async function seeTo(tx: Transaction, connector: DueConnector): Promise<'made' | 'planned' | 'taken'> {
  const state = await lockSchedule(tx, connector);
  if (!state) return 'taken';
  const made = state.isDue && (await makeJob(tx, connector, state.dueAt ?? state.now));
  const lastDueAt = state.isDue ? state.dueAt : state.lastDueAt;
  await savePlannedRun(tx, connector, plan(state, lastDueAt), lastDueAt);
  return made ? 'made' : 'planned';
}

/** A run never overlaps another of its connector: what is missed so is in the next. */
async function makeJob(tx: Transaction, connector: DueConnector, dueAt: Date): Promise<boolean> {
  const unfinished = await findUnfinishedJob(tx, connector.id);
  if (unfinished === undefined && (await insertScheduledJob(tx, connector, dueAt))) return true;
  await saveSkippedRun(tx, connector, `another job of the connector was ${unfinished ?? 'queued'}`);
  return false;
}

function plan({ schedule, now }: ScheduleState, last: Date | null) {
  // Of an older release, or of a time zone that is no more: never, and not again and again.
  if (!schedule || checkSchedule(schedule, now) !== undefined) return undefined;
  return nextRun(schedule, { now, ...(last && { last }) }, Math.random());
}
