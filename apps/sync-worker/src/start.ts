import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Database } from '@idsync/database';
import { Housekeeping, openBus, serviceChecks, startConsumers } from '@idsync/messaging';
import { closeInTurn, closeTogether, createLogger, NestLogger, type ObservedService } from '@idsync/runtime';
import { chores } from './chores.js';
import { logEnds } from './job-ends.js';
import { JobScheduler } from './job-scheduler.js';
import { ScheduleLooks, watchJobs } from './metrics.js';
import { type SourceSettings, sourceOpener } from './open-source.js';
import { scheduledRuns } from './scheduled-runs.js';
import { defaultSettings, type SyncContext } from './sync-context.js';
import { SyncWorkerModule } from './sync-worker.module.js';

export interface SyncWorkerOptions extends SourceSettings {
  databaseUrl: string;
  /** RabbitMQ's address; without one, messages travel through PostgreSQL. */
  amqpUrl?: string;
  logLevel: string;
}

export async function startSyncWorker(options: SyncWorkerOptions): Promise<ObservedService> {
  const { databaseUrl, amqpUrl, logLevel, sourcesDir, encryptionKeys, allowedCidrs } = options;
  const logger = createLogger('sync-worker', logLevel);
  const database = await Database.connect({ url: databaseUrl, service: 'sync-worker' });
  const bus = await openBus({ service: 'sync-worker', database, amqpUrl, logger });
  const context: SyncContext = {
    database,
    openConnector: sourceOpener(database, { sourcesDir, encryptionKeys, allowedCidrs }),
    owner: `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`,
    settings: defaultSettings,
    log: logger,
  };
  const scheduler = new JobScheduler(context);
  const housekeeping = new Housekeeping(chores(context), context.settings.housekeepingMs, logger);
  const looks = new ScheduleLooks();
  const clock = new Housekeeping(
    [
      scheduledRuns(
        context,
        () => scheduler.wake(),
        (lag) => looks.note(lag),
      ),
    ],
    context.settings.schedulePollMs,
    logger,
  );
  const app = await startConsumers(bus, SyncWorkerModule.with(context, scheduler), new NestLogger(logger));
  const forget = [looks.watch(), watchJobs(database)];
  const forgetEnds = logEnds(logger);
  scheduler.start();
  housekeeping.start();
  clock.start();
  logger.info('ready');
  return {
    checks: serviceChecks(database, bus, 'down'),
    async close() {
      for (const each of forget) each();
      await closeInTurn(
        // Leases at once: another worker goes on while this one still drains its queues.
        () =>
          closeTogether(
            () => scheduler.stop(),
            () => app.close(),
            () => housekeeping.stop(),
            () => clock.stop(),
          ),
        forgetEnds,
        () => bus.close(),
        () => database.close(),
      );
    },
  };
}
