import { farewell } from '@idsync/runtime';
import { type ChannelModel, connect } from 'amqplib';
import { doublingBackoff } from '../backoff.js';
import type { BusLogger } from '../driver.js';
import { pause } from '../pause.js';
import { assertTopology } from './assert-topology.js';

/** Queues or exchanges exist with other arguments than ours; nothing but an operator can settle that. */
class TopologyMismatchError extends Error {
  override readonly name = 'TopologyMismatchError';
}

/** What opening waits for the first attempt; from then on it is the background's. */
const firstAttemptMs = 5_000;
const heartbeatSeconds = 10;

type Listener = () => Promise<void>;

/** One connection to RabbitMQ that comes back by itself; listeners run each time the connection and the topology stand. */
export class AmqpConnection {
  private model: ChannelModel | undefined;
  private readonly closing = new AbortController();
  private readonly listeners = new Set<Listener>();
  private connecting: Promise<void> | undefined;

  private constructor(
    private readonly url: string,
    private readonly name: string,
    private readonly log: BusLogger,
  ) {}

  /**
   * Waits for the first attempt and no longer: a broker that is there tells of mistakes at once, one that is away is tried
   * again for ever while the service does what it can without. Throws TopologyMismatchError.
   */
  static async open(url: string, name: string, log: BusLogger): Promise<AmqpConnection> {
    const connection = new AmqpConnection(url, name, log);
    const tried = new AbortController();
    const standing = connection.connect(() => tried.abort());
    await Promise.race([standing, pause(firstAttemptMs, tried.signal)]).finally(() => tried.abort());
    if (!connection.model) connection.inBackground(standing);
    return connection;
  }

  /** The live connection; undefined while it is down. */
  get current(): ChannelModel | undefined {
    return this.model;
  }

  /** Runs now if connected, and again after every reconnection. */
  async whenUp(listener: Listener): Promise<void> {
    this.listeners.add(listener);
    if (this.model) await listener();
  }

  forget(listener: Listener): void {
    this.listeners.delete(listener);
  }

  /** Declares the topology again, after somebody deleted part of it. */
  async restoreTopology(): Promise<void> {
    if (this.model) await declare(this.model).catch((error: unknown) => this.giveUpIfMismatched(error));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting?.catch(() => undefined);
    const model = this.model;
    this.model = undefined;
    if (model) await farewell(model.close());
  }

  /** One loop at a time, however often the connection is lost while it runs. */
  private connect(onFailure: () => void = () => undefined): Promise<void> {
    this.connecting ??= this.connectLoop(onFailure).finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  private inBackground(connecting: Promise<void>): void {
    connecting.then(
      () => this.model && this.log.info('RabbitMQ connection stands'),
      (error: unknown) => this.giveUpIfMismatched(error),
    );
  }

  private async connectLoop(onFailure: () => void): Promise<void> {
    for (let attempt = 1; !this.closing.signal.aborted; attempt += 1) {
      try {
        await this.connectOnce();
        if (this.model) return;
      } catch (error) {
        if (error instanceof TopologyMismatchError) throw error;
        this.log.warn(`RabbitMQ is not reachable, will try again: ${message(error)}`);
        onFailure();
      }
      await pause(Math.max(500, doublingBackoff(attempt + 3)), this.closing.signal);
    }
  }

  private async connectOnce(): Promise<void> {
    const model = await connect(withHeartbeat(this.url), {
      // Without noDelay manual acknowledgements waited 40 ms for each other.
      noDelay: true,
      timeout: 5_000,
      clientProperties: { connection_name: this.name },
    });
    // Whatever the broker does to the connection arrives here and never as an unhandled rejection.
    model.on('error', (error: unknown) => this.log.warn(`RabbitMQ connection: ${message(error)}`));
    model.once('close', () => this.lost(model));
    try {
      await declare(model);
      this.model = model;
      for (const listener of this.listeners) await listener();
    } catch (error) {
      this.model = undefined;
      await model.close().catch(() => undefined);
      throw error;
    }
  }

  private lost(model: ChannelModel): void {
    if (this.model !== model) return;
    this.model = undefined;
    if (this.closing.signal.aborted) return;
    this.log.warn('RabbitMQ connection lost, reconnecting');
    // If it was lost while its listeners ran, the loop that made it goes on.
    if (this.connecting !== undefined) return;
    this.inBackground(this.connect());
  }

  /** Nothing here mends a mismatch, and a service that cannot work must not look alive: this ends the process. */
  private giveUpIfMismatched(error: unknown): void {
    if (!(error instanceof TopologyMismatchError)) throw error;
    setImmediate(() => {
      throw error;
    });
  }
}

/** Declares exchanges and queues. Throws TopologyMismatchError where they exist with other arguments. */
async function declare(model: ChannelModel): Promise<void> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  try {
    await assertTopology(channel);
  } catch (error) {
    if ((error as { code?: number }).code !== 406) throw error;
    throw new TopologyMismatchError(`RabbitMQ has queues or exchanges of ours with other arguments: ${message(error)}`);
  }
  await channel.close();
}

function withHeartbeat(url: string): string {
  const copy = new URL(url);
  copy.searchParams.set('heartbeat', String(heartbeatSeconds));
  return copy.toString();
}

function message(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Where a name has several addresses and none answers, the message is empty.
  return error.message || String((error as { code?: string }).code ?? error.name);
}
