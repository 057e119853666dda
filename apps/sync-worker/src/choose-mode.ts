import type { SyncMode } from '@idsync/contracts';
import type { ConnectorState, ReadingMode } from '@idsync/database';

/** Runs after which everything is read once, unless a connector says otherwise: changes that were missed are not missed for ever. */
const fullEvery = 100;

/** What there is to know of a connector before it is read. */
export interface Knowledge {
  tellsChanges: boolean;
  /** Of its config as it is now. */
  configVersion: number;
  state: ConnectorState | undefined;
}

/** How a job reads that was asked to read so. */
export function chooseMode(asked: SyncMode, { tellsChanges, configVersion, state }: Knowledge): ReadingMode {
  if (asked === 'full') return { mode: 'full' };
  const since = state?.configVersion === configVersion ? state.checkpoint : null;
  if (!tellsChanges) return instead(asked, 'the source cannot tell what has changed');
  if (!state || since === null) return instead(asked, 'no run has left a checkpoint since the config was changed');
  if (asked === 'auto' && state.runsSinceFull + 1 >= fullEvery) return { mode: 'full' };
  return { mode: 'changes', since };
}

/** Only who asked for changes is told why there are none. */
function instead(asked: SyncMode, reason: string): ReadingMode {
  return asked === 'auto' ? { mode: 'full' } : { mode: 'full', whyFull: `everything was read: ${reason}` };
}
