import type { Database } from '@idsync/database';
import type { CheckStatus, HealthCheck } from '@idsync/runtime';
import type { Bus } from './bus.js';

const statusOfSchema = { current: 'up', newer: 'degraded', older: 'down' } as const;

/**
 * Health checks of a service: database, schema version, bus, and backlog, which only degrades it. `busAway` is the
 * status while the broker is unavailable. A newer schema is accepted as degraded, because migrations run before a
 * roll-out begins.
 */
export function serviceChecks(database: Database, bus: Bus, busAway: 'degraded' | 'down'): HealthCheck[] {
  return [
    { name: 'database', run: () => database.ping().then(() => 'up' as const) },
    { name: 'schema', run: lastKnown(async () => statusOfSchema[await database.schemaAge()]) },
    { name: 'bus', run: () => (bus.up ? 'up' : busAway) },
    { name: 'backlog', run: lastKnown(() => backlogOf(bus)) },
  ];
}

/** Degraded if the backlog cannot be read; another check reports the reason. */
function backlogOf(bus: Bus): Promise<CheckStatus> {
  return bus.isBehind().then(
    (behind) => (behind ? 'degraded' : 'up'),
    () => 'degraded',
  );
}

/** Returns the last result while a new call is pending, so that a wait for a connection does not change the status. */
export function lastKnown<Found>(call: () => Promise<Found>): () => Promise<Found> {
  let known: Found | undefined;
  let pending: Promise<Found> | undefined;
  return async () => {
    pending ??= call().finally(() => {
      pending = undefined;
    });
    const found = pending.then((each) => {
      known = each;
      return each;
    });
    if (known === undefined) return found;
    found.catch(() => undefined);
    return known;
  };
}
