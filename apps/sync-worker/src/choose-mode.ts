import { defaultFullEveryHours, type SyncMode } from '@idsync/contracts';
import type { ConnectorState, ReadingMode } from '@idsync/database/sync';

/** One in this many runs is a full run, unless the schedule has its own number, to pick up missed changes. */
const defaultFullEvery = 100;
const hourMs = 3_600_000;

/** State of a connector that decides between a full and an incremental run. */
export interface ConnectorFacts {
  reportsChanges: boolean;
  reportsEveryChange?: boolean;
  /** Current version of the configuration. */
  configVersion: number;
  state: ConnectorState | undefined;
  fullEvery: number | null;
  fullEveryHours: number | null;
  /** Due time of the run after this one, or now if there is none: until then, nothing else notices deletions. */
  nextRunAt: Date;
}

/** Chooses between a full and an incremental run for the requested mode. */
export function chooseMode(requested: SyncMode, facts: ConnectorFacts): ReadingMode {
  const { reportsChanges, configVersion, state } = facts;
  if (requested === 'full') return { mode: 'full' };
  const since = state?.configVersion === configVersion ? state.checkpoint : null;
  if (!reportsChanges) return fullRun(requested, 'the source cannot report changes');
  if (!state || since === null) return fullRun(requested, 'there is no checkpoint for the current configuration');
  if (requested === 'auto' && isFullRunDue(facts, state)) return { mode: 'full' };
  return { mode: 'changes', since };
}

function isFullRunDue(
  { reportsEveryChange, fullEvery, fullEveryHours, nextRunAt }: ConnectorFacts,
  { runsSinceFull, completeAsOf }: ConnectorState,
): boolean {
  const every = fullEvery ?? (reportsEveryChange ? Number.POSITIVE_INFINITY : defaultFullEvery);
  if (runsSinceFull + 1 >= every) return true;
  if (reportsEveryChange) return false;
  const oldest = nextRunAt.getTime() - (fullEveryHours ?? defaultFullEveryHours) * hourMs;
  return completeAsOf === null || completeAsOf.getTime() < oldest;
}

/** Falls back to a full run, with a reason only if an incremental run was requested explicitly. */
function fullRun(requested: SyncMode, reason: string): ReadingMode {
  return requested === 'auto' ? { mode: 'full' } : { mode: 'full', whyFull: `everything was read: ${reason}` };
}
