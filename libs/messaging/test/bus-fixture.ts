import type { Message, ServiceName } from '@idsync/contracts';
import { newUuid } from '@idsync/contracts';
import { Database, enqueue, markReceived } from '@idsync/database';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  type TestDatabase,
} from '@idsync/testing';
import type { MessageContext } from '../src/delivery.js';
import { type Bus, openBus } from '../src/open-bus.js';
import { patternsOf } from '../src/queues-of.js';

export type Driver = 'postgres' | 'amqp';
export type Handler = (message: Message, context: MessageContext) => Promise<void>;

/** A database, a broker if the driver needs one, and buses on them that are closed in the end. */
export class BusFixture {
  readonly tenant = newUuid();
  private readonly closers: (() => Promise<void>)[] = [];
  private detour: string | undefined;
  private databaseDetour: string | undefined;
  private readonly databases = new Map<ServiceName, Database>();

  private constructor(
    readonly driver: Driver,
    readonly database: TestDatabase,
    readonly rows: DirectoryFixture,
    private readonly vhost: BrokerVhost | undefined,
  ) {}

  static async create(driver: Driver): Promise<BusFixture> {
    const database = await createTestDatabase();
    const rows = DirectoryFixture.connect(database.url);
    await rows.rows('create table effects (message_id uuid not null, at bigint generated always as identity)');
    await rows.rows('grant insert on effects to public');
    return new BusFixture(driver, database, rows, driver === 'amqp' ? await createVhost() : undefined);
  }

  get amqpUrl(): string | undefined {
    return this.detour ?? this.vhost?.url;
  }

  /** Buses that are opened from now on look for the broker here. */
  reachBrokerAt(url: string): void {
    this.detour = url;
  }

  /** Services that connect from now on look for the database here. */
  reachDatabaseAt(url: string): void {
    this.databaseDetour = url;
  }

  async connect(service: ServiceName): Promise<Database> {
    const known = this.databases.get(service);
    if (known) return known;
    const database = await Database.connect({ url: this.databaseDetour ?? this.database.url, service });
    this.databases.set(service, database);
    return database;
  }

  /** A bus of a service with these handlers; what it has no handler for is taken and forgotten. */
  async open(service: ServiceName, handlers: Record<string, Handler> = {}, pauseMs = 5): Promise<Bus> {
    const database = await this.connect(service);
    const bus = await openBus({ service, database, amqpUrl: this.amqpUrl, backoff: () => pauseMs });
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

  /** Announces numbered batches in one transaction of the sync-worker; the number is the message's `seq`. */
  async announceBatches(numbers: readonly number[]): Promise<void> {
    const database = await this.connect('sync-worker');
    const job = newUuid();
    await database.transaction(undefined, async (tx) => {
      for (const seq of numbers) {
        await enqueue(tx, { type: 'sync.batch.ready', tenantId: this.tenant, data: { job_id: job, seq } });
      }
    });
  }

  /** Announces numbered facts of one ordering key. */
  async announceFacts(key: string, numbers: readonly number[]): Promise<void> {
    const database = await this.connect('directory');
    await database.transaction(undefined, async (tx) => {
      for (const n of numbers) {
        const data = { first_sequence: n, last_sequence: n };
        await enqueue(tx, { type: 'facts.recorded', tenantId: this.tenant, orderingKey: key, data });
      }
    });
  }

  /** The effect of a message, once: what a real handler does. */
  async apply(service: ServiceName, message: Message): Promise<void> {
    const database = await this.connect(service);
    await database.transaction(undefined, async (tx) => {
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
    await this.vhost?.drop();
    await this.database.drop();
  }
}

/** Waits for what must come true, generously bounded. */
export async function until(what: () => boolean | Promise<boolean>, withinMs = 40_000): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (await what()) return;
  }
  throw new Error('it did not come true in time');
}
