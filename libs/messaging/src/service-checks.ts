import type { Database } from '@idsync/database';
import type { CheckStatus, HealthCheck } from '@idsync/runtime';
import type { Bus } from './open-bus.js';

const statusOfSchema = { current: 'up', newer: 'degraded', older: 'down' } as const;

/**
 * What a service needs: its database, the schema it was written for, and the bus; and whether it is behind, which is no reason to
 * take work from it. `busAway` says what it is without the broker. A schema that is newer than the code serves it too: migrations run
 * before a roll-out begins.
 */
export function serviceChecks(database: Database, bus: Bus, busAway: 'degraded' | 'down'): HealthCheck[] {
  return [
    { name: 'database', run: () => database.ping().then(() => 'up' as const) },
    { name: 'schema', run: lastKnown(async () => statusOfSchema[await database.schemaAge()]) },
    { name: 'bus', run: () => (bus.up ? 'up' : busAway) },
    { name: 'backlog', run: lastKnown(() => backlogOf(bus)) },
  ];
}

/** Where it cannot be looked for, another check says why. */
function backlogOf(bus: Bus): Promise<CheckStatus> {
  return bus.isBehind().then(
    (behind) => (behind ? 'degraded' : 'up'),
    () => 'degraded',
  );
}

/** What the last look has found, while the next one is under way: one that waits for a connection is no sign of another schema. */
export function lastKnown<Found>(look: () => Promise<Found>): () => Promise<Found> {
  let known: Found | undefined;
  let looking: Promise<Found> | undefined;
  return async () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    const found = looking.then((each) => {
      known = each;
      return each;
    });
    if (known === undefined) return found;
    found.catch(() => undefined);
    return known;
  };
}
