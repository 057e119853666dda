import type { Database } from '@idsync/database';
import { anchorChains, findInstallationHead } from '@idsync/database/gateway';
import type { Chore } from '@idsync/messaging';
import type { Logger } from '@idsync/runtime';
import type { EncryptionKeys } from './reencrypt-secrets.js';

/** Chains at a time. */
const batchSize = 200;

/**
 * Anchors the audit chains of tenants in the chain of the installation, and logs the head of that chain: an
 * attacker who can rewrite the database cannot rewrite logs that were collected elsewhere.
 */
export function anchoring(database: Database, keys: EncryptionKeys, logger: Logger): Chore {
  return {
    name: 'anchoring audit chains',
    batchSize,
    run: async () => {
      const count = await anchorChains(database, keys, batchSize);
      const head = await findInstallationHead(database);
      if (count > 0 && count < batchSize && head) {
        logger.info({ sequence: head.sequence, hash: head.hash.toString('hex') }, 'audit log anchored');
      }
      return count;
    },
  };
}
