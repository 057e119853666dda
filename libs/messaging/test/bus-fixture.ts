import { type Message, newUuid, queues, type ServiceName } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue, markReceived } from '@idsync/database/bus';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  type TestDatabase,
} from '@idsync/testing';
import { connect } from 'amqplib';
import { Bus, type BusOptions } from '../src/bus.js';
import type { MessageContext } from '../src/delivery.js';
import { patternsOf } from '../src/delivery.js';

export type Driver = 'postgres' | 'amqp';
export type Handler = (message: Message, context: MessageContext) => Promise<void>;

/** A database, a broker vhost if the driver needs one, and buses that are closed at the end. */
export class BusFixture {
  readonly tenant = newUuid();
  private readonly closers: (() => Promise<void>)[] = [];
  private brokerUrlOverride: string | undefined;
  private databaseUrlOverride: string | undefined;
  private readonly databases = new Map<ServiceName, Database>();

  private constructor(
    readonly driver: Driver,
    readonly database: TestDatabase,
    readonly rows: DirectoryFixture,
    private readonly vhost: BrokerVhost | undefined,
    private readonly isShared: boolean,
  ) {}

  /** A shared virtual host saves each test the seconds of creating its own; its queues are deleted after each test. */
  static async create(driver: Driver, shared?: BrokerVhost): Promise<BusFixture> {
    const database = await createTestDatabase();
    const rows = DirectoryFixture.connect(database.url);
    await rows.rows('create table effects (message_id uuid not null, at bigint generated always as identity)');
    await rows.rows('grant insert on effects to public');
    const vhost = driver === 'amqp' ? (shared ?? (await createVhost())) : undefined;
    return new BusFixture(driver, database, rows, vhost, shared !== undefined);
  }

  get amqpUrl(): string | undefined {
    return this.brokerUrlOverride ?? this.vhost?.url;
  }

  /** Makes buses opened from now on log in to the broker with these permissions. */
  async logInWith(user: string, permissions: { configure: string; write: string; read: string }): Promise<string> {
    if (!this.vhost) throw new Error('this driver uses no broker');
    this.brokerUrlOverride = await this.vhost.login(user, permissions);
    return this.brokerUrlOverride;
  }

  /** Makes buses opened from now on connect to the broker at this address. */
  reachBrokerAt(url: string): void {
    this.brokerUrlOverride = url;
  }

  /** Makes services connected from now on use the database at this address. */
  reachDatabaseAt(url: string): void {
    this.databaseUrlOverride = url;
  }

  async connect(service: ServiceName): Promise<Database> {
    const known = this.databases.get(service);
    if (known) return known;
    const database = await Database.connect({ url: this.databaseUrlOverride ?? this.database.url, service });
    this.databases.set(service, database);
    return database;
  }

  /** Opens the bus of a service with these handlers; other messages are acknowledged and dropped. */
  async open(
    service: ServiceName,
    handlers: Record<string, Handler> = {},
    { pauseMs = 5, isIgnored }: { pauseMs?: number; isIgnored?: BusOptions['isIgnored'] } = {},
  ): Promise<Bus> {
    const database = await this.connect(service);
    const bus = await Bus.open({ service, database, amqpUrl: this.amqpUrl, backoff: () => pauseMs, isIgnored });
    this.closers.push(() => bus.close());
    const patterns = patternsOf(service);
    for (const pattern of patterns) {
      bus.strategy.addHandler(pattern, handlers[pattern] ?? (async () => undefined), true);
    }
    if (patterns.length > 0) {
      await new Promise<void>((resolve, reject) => {
        void bus.strategy.listen((error) => (error ? reject(error) : resolve()));
      });
    }
    return bus;
  }

  /** Enqueues numbered batches in one transaction of the sync-worker; the number is the message's `seq`. */
  async announceBatches(numbers: readonly number[]): Promise<void> {
    const database = await this.connect('sync-worker');
    const job = newUuid();
    await database.withoutTenant(async (tx) => {
      for (const seq of numbers) {
        await enqueue(tx, { type: 'sync.batch.ready', tenantId: this.tenant, data: { job_id: job, seq } });
      }
    });
  }

  /** Applies the effect of a message once, as a real handler does. */
  async apply(service: ServiceName, message: Message): Promise<void> {
    const database = await this.connect(service);
    await database.withoutTenant(async (tx) => {
      if (await markReceived(tx, message.id))
        await tx.query('insert into effects (message_id) values ($1)', [message.id]);
    });
  }

  async effects(): Promise<{ all: number; distinct: number }> {
    const [row] = await this.rows.rows<{ all: number; distinct: number }>(
      'select count(*)::int as all, count(distinct message_id)::int as distinct from effects',
    );
    return row ?? { all: 0, distinct: 0 };
  }

  async closeBuses(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }

  async remove(): Promise<void> {
    await this.closeBuses();
    for (const database of this.databases.values()) await database.close();
    await this.rows.close();
    if (this.vhost && this.isShared) await deleteQueues(this.vhost.url);
    else await this.vhost?.drop();
    await this.database.drop();
  }
}

async function deleteQueues(url: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  for (const name of Object.keys(queues)) {
    await channel.deleteQueue(name);
    await channel.deleteQueue(`${name}.dead`);
  }
  await connection.close();
}
