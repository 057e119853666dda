import type { PushedUsers } from '@idsync/connectors';
import { encodeId } from '@idsync/contracts';
import { type Database, findPushStanding, type JobSource, readPushedUsers } from '@idsync/database';

/** What identity providers pushed to a connector, as its source. */
export function pushedUsers(database: Database, { tenantId, connectorId }: JobSource): PushedUsers {
  return {
    async behind(place, options) {
      const users = await database.transaction(tenantId, (tx) => readPushedUsers(tx, connectorId, place, options));
      return users.map(({ position, id, document, groups }) => ({
        position,
        id,
        document: document === null ? undefined : { ...document, groups: groups.map(asShown) },
      }));
    },
    standing: () => database.transaction(tenantId, (tx) => findPushStanding(tx, connectorId)),
  };
}

function asShown({ id, display }: { id: string; display: string | null }): object {
  return { value: encodeId('scimResource', id), display };
}
