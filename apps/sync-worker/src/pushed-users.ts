import type { PushedUsers } from '@idsync/connectors';
import { encodeId } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findPushPosition, type PushedUser, readPushedUser, readPushedUsers } from '@idsync/database/scim';
import type { JobSource } from '@idsync/database/sync';

type ReadUser = Awaited<ReturnType<PushedUsers['behind']>>['users'][number];

/** Source with the users that identity providers have pushed to a connector. */
export function pushedUsers(database: Database, { tenantId, connectorId }: JobSource): PushedUsers {
  return {
    async behind(place, options) {
      const { users, last } = await database.transaction(tenantId, (tx) =>
        readPushedUsers(tx, connectorId, place, options),
      );
      return { users: users.map(userOf), last };
    },
    async one(id) {
      const user = await database.transaction(tenantId, (tx) => readPushedUser(tx, connectorId, id));
      return user && userOf(user);
    },
    pushState: () => database.transaction(tenantId, (tx) => findPushPosition(tx, connectorId)),
  };
}

function userOf({ position, id, document, groups }: PushedUser): ReadUser {
  return { position, id, document: document === null ? undefined : { ...document, groups: groups.map(groupOf) } };
}

function groupOf({ id, display }: { id: string; display: string | null }): object {
  return { value: encodeId('scimResource', id), display };
}
