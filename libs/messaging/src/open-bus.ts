import type { ServiceName } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { closeInTurn, closeTogether } from '@idsync/runtime';
import { AmqpDriver } from './amqp/amqp-driver.js';
import { doublingBackoff } from './backoff.js';
import { BusStrategy } from './bus.strategy.js';
import type { Backoff, BusDriver, BusLogger } from './driver.js';
import { forgetReceived } from './forget-received.js';
import { Housekeeping } from './housekeeping.js';
import { watchBus } from './metrics.js';
import { OutboxRelay } from './outbox-relay.js';
import { PostgresDriver } from './postgres/postgres-driver.js';

export interface BusOptions {
  service: ServiceName;
  database: Database;
  /** RabbitMQ's address; without one, the queues are rows of the database. */
  amqpUrl?: string;
  logger?: BusLogger;
  /** How long a message that failed waits; 0.1 s doubling to 30 s unless told. */
  backoff?: Backoff;
}

export interface Bus {
  readonly strategy: BusStrategy;
  /** False while RabbitMQ is away; what is announced meanwhile waits in the outbox. */
  readonly up: boolean;
  /** Whether what was announced, or what waits in queues of rows, has been waiting for minutes; as it was within the last ten seconds. */
  isBehind(): Promise<boolean>;
  /** Takes no more messages, finishes what is being handled (bounded), stops the relay, and lets go of the broker. */
  close(): Promise<void>;
}

const inboxEveryMs = 10 * 60_000;

const silent: BusLogger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Opens the bus of one service and starts its outbox relay. A broker that is away holds nothing up. */
export async function openBus(options: BusOptions): Promise<Bus> {
  const { service, database, amqpUrl, logger = silent, backoff = doublingBackoff } = options;
  const driver: BusDriver = amqpUrl
    ? await AmqpDriver.connect({ url: amqpUrl, service, database, logger, backoff })
    : new PostgresDriver({ service, database, logger, backoff });
  const relay = new OutboxRelay(database, driver, logger);
  const housekeeping = new Housekeeping([forgetReceived(database)], inboxEveryMs, logger);
  relay.start();
  housekeeping.start();
  const { isBehind, forget } = watchBus(database, service, driver);
  const strategy = new BusStrategy(service, driver, logger);
  return {
    strategy,
    get up() {
      return driver.up;
    },
    isBehind,
    close: () =>
      closeInTurn(
        forget,
        () => strategy.close(),
        () =>
          closeTogether(
            () => relay.stop(),
            () => housekeeping.stop(),
          ),
        () => driver.close(),
      ),
  };
}
