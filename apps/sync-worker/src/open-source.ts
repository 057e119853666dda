import { type Connector, createConnector, SourceError } from '@idsync/connectors';
import { type Database, type JobSource, open } from '@idsync/database';
import { pushedUsers } from './pushed-users.js';

export interface SourceSettings {
  /** The folder that the paths of file connectors are relative to. */
  sourcesDir: string;
  /** Open the secrets of connectors: the one they are sealed with now first, then those from before. */
  encryptionKeys: readonly Buffer[];
  /** Private networks that sources may be in. */
  allowedCidrs: readonly string[];
}

/** The connector of a source, with its secrets opened. Throws SourceError where it cannot be read at all. */
export function sourceOpener(
  database: Database,
  { encryptionKeys, ...settings }: SourceSettings,
): (source: JobSource) => Connector {
  return (source) => {
    const { tenantId, secrets, type, records, config } = source;
    const opened = secrets ? openSecrets(secrets, encryptionKeys, tenantId) : {};
    const pushed = pushedUsers(database, source);
    return createConnector({ type, records, config, secrets: opened, pushed, ...settings });
  };
}

function openSecrets(sealed: Buffer, keys: readonly Buffer[], tenantId: string): Record<string, string> {
  let text: string;
  try {
    text = open(sealed, keys, tenantId);
  } catch {
    throw new SourceError(
      "no key opens the connector's secrets: give them anew, or name their key in ENCRYPTION_KEYS_PREVIOUS",
    );
  }
  return JSON.parse(text) as Record<string, string>;
}
