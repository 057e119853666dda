import type { Database } from '@idsync/database';
import type { HealthCheck } from '@idsync/runtime';
import type { Bus } from './open-bus.js';

const statusOfSchema = { current: 'up', newer: 'degraded', older: 'down' } as const;

/**
 * What a service needs: its database, the schema it was written for, and the bus. `busAway` says what it is without the
 * broker. A schema that is newer than the code stops it from starting, and not from going on: migrations run before a roll-out ends.
 */
export function serviceChecks(database: Database, bus: Bus, busAway: 'degraded' | 'down'): HealthCheck[] {
  return [
    {
      name: 'database',
      run: async () => {
        await database.transaction(undefined, (tx) => tx.query('select 1'));
        return 'up' as const;
      },
    },
    { name: 'schema', run: async () => statusOfSchema[await database.schemaAge()] },
    { name: 'bus', run: () => (bus.up ? 'up' : busAway) },
  ];
}
