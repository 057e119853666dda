import { Database } from '@idsync/database';
import { openBus, startConsumers } from '@idsync/messaging';
import { createLogger, NestLogger, type RunningService } from '@idsync/runtime';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

export interface WebhookDispatcherOptions {
  databaseUrl: string;
  /** RabbitMQ's address; without one, messages travel through PostgreSQL. */
  amqpUrl?: string;
  logLevel: string;
}

export async function startWebhookDispatcher(options: WebhookDispatcherOptions): Promise<RunningService> {
  const { databaseUrl, amqpUrl, logLevel } = options;
  const logger = createLogger('webhook-dispatcher', logLevel);
  const database = await Database.connect({ url: databaseUrl, service: 'webhook-dispatcher' });
  const bus = await openBus({ service: 'webhook-dispatcher', database, amqpUrl, logger });
  const app = await startConsumers(bus, WebhookDispatcherModule.with(database), new NestLogger(logger));
  logger.info('ready');
  return {
    async close() {
      await app.close();
      await bus.close();
      await database.close();
    },
  };
}
