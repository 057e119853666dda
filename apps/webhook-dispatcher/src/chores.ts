import {
  type Database,
  deleteOldDeliveries,
  deleteOldEndpoints,
  enqueue,
  takeUnansweredReplays,
} from '@idsync/database';
import type { Chore } from '@idsync/messaging';

const portion = 1_000;
const replaysAtATime = 100;
/** A replay of which no part was worked off for so long is asked for again: its message may be lost. */
const unansweredMs = 15 * 60_000;

/** What the dispatcher does that no message asks for: it forgets what is older than a month, and what belonged to webhooks that are gone. */
export function chores(database: Database): Chore[] {
  return [
    {
      name: 'forgetting old deliveries',
      portion,
      run: () => database.transaction(undefined, (tx) => deleteOldDeliveries(tx, portion)),
    },
    {
      name: 'forgetting old endpoints',
      portion,
      run: () => database.transaction(undefined, (tx) => deleteOldEndpoints(tx, portion)),
    },
    {
      name: 'asking again for replays',
      portion: replaysAtATime,
      run: () => askAgainForReplays(database, unansweredMs),
    },
  ];
}

/**
 * Asks again for replays whose message may be lost, as when a broker lost its data; returns how many. A part that is told of
 * twice goes on from where the first left off.
 */
export async function askAgainForReplays(database: Database, olderThanMs: number): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    const replays = await takeUnansweredReplays(tx, olderThanMs, replaysAtATime);
    for (const { id, tenantId } of replays) {
      await enqueue(tx, { type: 'webhook.replay.requested', tenantId, data: { replay_id: id } });
    }
    return replays.length;
  });
}
