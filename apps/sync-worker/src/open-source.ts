import { type Connector, createConnector, type PushedUser, type PushedUsers, SourceError } from '@idsync/connectors';
import { encodeId } from '@idsync/contracts';
import { type Database, decrypt } from '@idsync/database';
import {
  findPushPosition,
  readPushedUser,
  readPushedUsers,
  type PushedUser as StoredUser,
} from '@idsync/database/scim';
import type { JobSource } from '@idsync/database/sync';

interface SourceSettings {
  /** Directory with the files of connectors. */
  sourcesDir: string;
  /** Whether each tenant reads only the subdirectory named after its id. */
  sourcesByTenant: boolean;
  /** Keys that decrypt the secrets of connectors: the current key first, then previous keys. */
  encryptionKeys: readonly Buffer[];
  /** Private networks that sources may be in. */
  allowedCidrs: readonly string[];
}

/**
 * Returns a function that creates the connector of a source with decrypted secrets. It throws SourceError if the
 * configuration is unusable.
 */
export function sourceOpener(
  database: Database,
  { encryptionKeys, sourcesByTenant, ...settings }: SourceSettings,
): (source: JobSource) => Connector {
  return (source) => {
    const { tenantId, secrets, type, records, config } = source;
    const opened = secrets ? decryptSecrets(secrets, encryptionKeys, tenantId) : {};
    const pushed = pushedUsers(database, source);
    const tenantFolder = sourcesByTenant ? encodeId('tenant', tenantId) : undefined;
    return createConnector({ tenantFolder, type, records, config, secrets: opened, pushed, ...settings });
  };
}

function decryptSecrets(encrypted: Buffer, keys: readonly Buffer[], tenantId: string): Record<string, string> {
  let text: string;
  try {
    text = decrypt(encrypted, keys, tenantId);
  } catch {
    throw new SourceError(
      "no encryption key decrypts the connector's secrets: set them again, or add their key to ENCRYPTION_KEYS_PREVIOUS",
      'misconfigured',
    );
  }
  return JSON.parse(text) as Record<string, string>;
}

/** Source with the users that identity providers have pushed to a connector. */
function pushedUsers(database: Database, { tenantId, connectorId }: JobSource): PushedUsers {
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

function userOf({ position, id, document, groups }: StoredUser): PushedUser {
  const ofUser = groups.map((group) => ({ value: encodeId('scimResource', group.id), display: group.display }));
  return { position, id, document: document === null ? undefined : { ...document, groups: ofUser } };
}
