import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Database } from '@idsync/database';
import { WorkerModule } from '@idsync/messaging';
import { Logger, type SyncWorkerConfig } from '@idsync/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { BatchShares } from './batch-shares.js';
import { Schedules, SyncHousekeeping } from './housekeeping.service.js';
import { JobScheduler } from './job-scheduler.service.js';
import { JobsConsumer } from './jobs.consumer.js';
import { Observation } from './observation.service.js';
import { sourceOpener } from './open-source.js';
import { defaultSettings, SyncContext } from './sync-context.js';

@Module({
  controllers: [JobsConsumer],
  providers: [
    { provide: SyncContext, inject: [Database, Logger, ConfigService], useFactory: syncContext },
    Observation,
    JobScheduler,
    Schedules,
    SyncHousekeeping,
  ],
})
export class SyncWorkerModule {
  static forRoot(config: SyncWorkerConfig): DynamicModule {
    return { module: SyncWorkerModule, imports: [WorkerModule.forRoot('sync-worker', config)] };
  }
}

function syncContext(database: Database, log: Logger, config: ConfigService<SyncWorkerConfig, true>): SyncContext {
  const value = <Name extends keyof SyncWorkerConfig>(name: Name) => config.get(name, { infer: true });
  const encryptionKeys = [value('ENCRYPTION_KEY'), ...value('ENCRYPTION_KEYS_PREVIOUS')];
  return {
    database,
    log,
    encryptionKeys,
    openConnector: sourceOpener(database, {
      sourcesDir: value('SOURCES_DIR'),
      sourcesByTenant: value('SOURCES_BY_TENANT'),
      encryptionKeys,
      allowedCidrs: value('SOURCE_ALLOW_CIDRS'),
    }),
    owner: `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`,
    shares: new BatchShares(database),
    settings: { ...defaultSettings, outageMs: value('SOURCE_OUTAGE_SECONDS') * 1_000 },
  };
}
