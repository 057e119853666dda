import type { SyncMode } from '@idsync/contracts';
import type { ConnectorState, ReadingMode } from '@idsync/database';

/** Of so many runs one reads everything, unless a schedule says otherwise: changes that were missed are not missed for ever. */
const usualFullEvery = 100;

/** What there is to know of a connector before it is read. */
export interface Knowledge {
  tellsChanges: boolean;
  missesNothing?: boolean;
  /** Of its config as it is now. */
  configVersion: number;
  state: ConnectorState | undefined;
  fullEvery: number | null;
}

/** How a job reads that was asked to read so. */
export function chooseMode(
  asked: SyncMode,
  { tellsChanges, missesNothing, configVersion, state, fullEvery }: Knowledge,
): ReadingMode {
  if (asked === 'full') return { mode: 'full' };
  const since = state?.configVersion === configVersion ? state.checkpoint : null;
  if (!tellsChanges) return instead(asked, 'the source cannot tell what has changed');
  if (!state || since === null) return instead(asked, 'no run has left a checkpoint since the config was changed');
  const every = fullEvery ?? (missesNothing ? Number.POSITIVE_INFINITY : usualFullEvery);
  if (asked === 'auto' && state.runsSinceFull + 1 >= every) return { mode: 'full' };
  return { mode: 'changes', since };
}

/** Only who asked for changes is told why there are none. */
function instead(asked: SyncMode, reason: string): ReadingMode {
  return asked === 'auto' ? { mode: 'full' } : { mode: 'full', whyFull: `everything was read: ${reason}` };
}
