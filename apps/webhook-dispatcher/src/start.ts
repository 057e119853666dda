import { Database } from '@idsync/database';
import { Housekeeping, openBus, serviceChecks, startConsumers } from '@idsync/messaging';
import { closeInTurn, closeTogether, createLogger, NestLogger, type ObservedService } from '@idsync/runtime';
import { chores } from './chores.js';
import { DeliveryEngine, type DeliverySettings } from './delivery/delivery-engine.js';
import { defaultSettings } from './delivery/settings.js';
import { FanOutRunner } from './fan-out-runner.js';
import { secretOpener } from './open-secret.js';
import { defaultLimits, type HttpLimits, httpSender } from './sending/http-sender.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

const housekeepingMs = 5 * 60_000;
/** As the alert IdsyncDeliveriesLate has it. */
const lateSeconds = 120;

export interface WebhookDispatcherOptions {
  databaseUrl: string;
  /** RabbitMQ's address; without one, messages travel through PostgreSQL. */
  amqpUrl?: string;
  /** Open the signing secrets: the one they are sealed with now first, then those from before. */
  encryptionKeys: readonly Buffer[];
  /** Networks of private receivers that may be called. */
  allowedCidrs: readonly string[];
  logLevel: string;
  settings?: Partial<DeliverySettings>;
  limits?: Partial<HttpLimits>;
}

export async function startWebhookDispatcher(options: WebhookDispatcherOptions): Promise<ObservedService> {
  const { databaseUrl, amqpUrl, encryptionKeys, allowedCidrs, logLevel, settings, limits } = options;
  const logger = createLogger('webhook-dispatcher', logLevel);
  const database = await Database.connect({ url: databaseUrl, service: 'webhook-dispatcher' });
  const bus = await openBus({ service: 'webhook-dispatcher', database, amqpUrl, logger });
  const sender = httpSender({ allowedCidrs, limits: { ...defaultLimits, ...limits } });
  const engine = new DeliveryEngine({
    database,
    sender,
    settings: { ...defaultSettings, ...settings },
    openKey: secretOpener(encryptionKeys),
    log: logger,
  });
  const fanOuts = new FanOutRunner({ database, made: (found) => engine.wake(found), log: logger });
  const housekeeping = new Housekeeping(chores(database), housekeepingMs, logger);
  const app = await startConsumers(bus, WebhookDispatcherModule.with(database, fanOuts), new NestLogger(logger));
  engine.start();
  fanOuts.start();
  housekeeping.start();
  logger.info('ready');
  return {
    checks: [
      ...serviceChecks(database, bus, 'down'),
      { name: 'deliveries', run: () => (engine.lagSeconds > lateSeconds ? 'degraded' : 'up') },
    ],
    close: () =>
      closeInTurn(
        // What is handled or fanned out after the engine has stopped is in the database, for another one.
        () =>
          closeTogether(
            () => app.close(),
            () => fanOuts.stop(),
            () => engine.stop(),
            () => housekeeping.stop(),
          ),
        () => sender.close(),
        () => bus.close(),
        () => database.close(),
      ),
  };
}
