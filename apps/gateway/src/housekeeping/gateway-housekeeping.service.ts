import { Database } from '@idsync/database';
import {
  anchorChains,
  deleteEndedSessions,
  deleteExpiredPortalLinks,
  findInstallationHead,
  forgetLogouts,
} from '@idsync/database/gateway';
import { deletePushedOfDeletedConnectors, purgeScimTombstones } from '@idsync/database/scim';
import { type Chore, Housekeeping } from '@idsync/messaging';
import { type GatewayConfig, Logger } from '@idsync/runtime';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { type EncryptionKeys, reencryption } from './reencrypt-secrets.js';

const everyMs = 60 * 60_000;
/** Rows that are deleted, and chains that are anchored, at a time. */
const rowsAtOnce = 1_000;
const chainsAtOnce = 200;

/** The gateway's chores. Their shutdown starts first and is awaited last, so that it does not delay the HTTP server's. */
@Injectable()
export class GatewayHousekeeping implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly housekeeping: Housekeeping;
  private stopped: Promise<void> | undefined;

  constructor(
    database: Database,
    { encryptionKeys }: GatewaySettings,
    config: ConfigService<GatewayConfig, true>,
    logger: Logger,
  ) {
    const idleSeconds = config.get('SESSION_IDLE_SECONDS', { infer: true });
    const chores = [
      reencryption(database, 'webhooks', encryptionKeys, logger),
      reencryption(database, 'signing keys', encryptionKeys, logger),
      reencryption(database, 'webhook headers', encryptionKeys, logger),
      reencryption(database, 'connectors', encryptionKeys, logger),
      reencryption(database, 'suppressions', encryptionKeys, logger),
      reencryption(database, 'audit', encryptionKeys, logger),
      anchoring(database, encryptionKeys, logger),
      deletion('expired deletions of pushed resources', () => purgeScimTombstones(database, rowsAtOnce)),
      deletion('pushed resources of deleted connectors', () => deletePushedOfDeletedConnectors(database, rowsAtOnce)),
      deletion('expired portal links', () => deleteExpiredPortalLinks(database, rowsAtOnce)),
      // Sessions of operators that ended by a timeout, and logout tokens that are too old to be used again.
      deletion('ended sessions', () => deleteEndedSessions(database, idleSeconds, rowsAtOnce)),
      deletion('used logout tokens', () => forgetLogouts(database, rowsAtOnce)),
    ];
    this.housekeeping = new Housekeeping(chores, everyMs, logger);
  }

  onApplicationBootstrap(): void {
    this.housekeeping.start();
  }

  onModuleDestroy(): void {
    this.stopped = this.housekeeping.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
  }
}

function deletion(what: string, run: () => Promise<number>): Chore {
  return { name: `deleting ${what}`, batchSize: rowsAtOnce, run };
}

/**
 * Anchors the audit chains of tenants in the chain of the installation, and logs the head of that chain: an
 * attacker who can rewrite the database cannot rewrite logs that were collected elsewhere.
 */
function anchoring(database: Database, keys: EncryptionKeys, logger: Logger): Chore {
  return {
    name: 'anchoring audit chains',
    batchSize: chainsAtOnce,
    run: async () => {
      const count = await anchorChains(database, keys, chainsAtOnce);
      const head = await findInstallationHead(database);
      if (count > 0 && count < chainsAtOnce && head) {
        logger.info({ sequence: head.sequence, hash: head.hash.toString('hex') }, 'audit log anchored');
      }
      return count;
    },
  };
}
