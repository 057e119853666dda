import { Database } from '@idsync/database';
import { openBus, serviceChecks, startConsumers } from '@idsync/messaging';
import { closeInTurn, closeTogether, createLogger, NestLogger, type ObservedService } from '@idsync/runtime';
import { Clock } from './clock.js';
import { DirectoryModule } from './directory.module.js';

export interface DirectoryOptions {
  databaseUrl: string;
  /** RabbitMQ's address; without one, messages travel through PostgreSQL. */
  amqpUrl?: string;
  logLevel: string;
}

export async function startDirectory({ databaseUrl, amqpUrl, logLevel }: DirectoryOptions): Promise<ObservedService> {
  const logger = createLogger('directory', logLevel);
  const database = await Database.connect({ url: databaseUrl, service: 'directory' });
  const bus = await openBus({ service: 'directory', database, amqpUrl, logger });
  const app = await startConsumers(bus, DirectoryModule.with(database), new NestLogger(logger));
  const clock = new Clock(database, logger);
  clock.start();
  logger.info('ready');
  return {
    checks: serviceChecks(database, bus, 'down'),
    close: () =>
      closeInTurn(
        () =>
          closeTogether(
            () => clock.stop(),
            () => app.close(),
          ),
        () => bus.close(),
        () => database.close(),
      ),
  };
}
