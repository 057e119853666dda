import type { PushedUsers } from '@idsync/connectors';
import { encodeId } from '@idsync/contracts';
import {
  type Database,
  findPushStanding,
  type JobSource,
  type PushedUser,
  readPushedUser,
  readPushedUsers,
} from '@idsync/database';

type ReadUser = Awaited<ReturnType<PushedUsers['behind']>>[number];

/** What identity providers pushed to a connector, as its source. */
export function pushedUsers(database: Database, { tenantId, connectorId }: JobSource): PushedUsers {
  return {
    async behind(place, options) {
      const users = await database.transaction(tenantId, (tx) => readPushedUsers(tx, connectorId, place, options));
      return users.map(asRead);
    },
    async one(id) {
      const user = await database.transaction(tenantId, (tx) => readPushedUser(tx, connectorId, id));
      return user && asRead(user);
    },
    standing: () => database.transaction(tenantId, (tx) => findPushStanding(tx, connectorId)),
  };
}

function asRead({ position, id, document, groups }: PushedUser): ReadUser {
  return { position, id, document: document === null ? undefined : { ...document, groups: groups.map(asShown) } };
}

function asShown({ id, display }: { id: string; display: string | null }): object {
  return { value: encodeId('scimResource', id), display };
}
