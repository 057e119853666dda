import { Database } from '@idsync/database';
import { deleteExpiredPortalLinks } from '@idsync/database/gateway';
import { Housekeeping } from '@idsync/messaging';
import { Logger } from '@idsync/runtime';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { GatewayConfig } from '../gateway-config.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { anchoring } from './anchor-audit.js';
import { pushedChores } from './pushed-chores.js';
import { reencryption } from './reencrypt-secrets.js';
import { sessionChores } from './session-chores.js';

const everyMs = 60 * 60_000;
/** Links that are deleted at a time. */
const expiredLinks = 1_000;

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
    const chores = [
      reencryption(database, 'webhooks', encryptionKeys, logger),
      reencryption(database, 'signing keys', encryptionKeys, logger),
      reencryption(database, 'webhook headers', encryptionKeys, logger),
      reencryption(database, 'connectors', encryptionKeys, logger),
      reencryption(database, 'suppressions', encryptionKeys, logger),
      reencryption(database, 'audit', encryptionKeys, logger),
      anchoring(database, encryptionKeys, logger),
      ...pushedChores(database),
      {
        name: 'deleting expired portal links',
        batchSize: expiredLinks,
        run: () => deleteExpiredPortalLinks(database, expiredLinks),
      },
      ...sessionChores(database, config.get('SESSION_IDLE_SECONDS', { infer: true })),
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
