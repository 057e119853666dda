import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { ServiceName } from '@idsync/contracts';
import { brokerAddresses, closeWithin, type Logger, pause, within } from '@idsync/runtime';
import { type ChannelModel, connect } from 'amqplib';
import { doublingBackoff } from '../driver.js';
import { assertTopology } from './assert-topology.js';

/** A queue or exchange exists with other arguments; only an operator can resolve that. */
class TopologyMismatchError extends Error {
  override readonly name = 'TopologyMismatchError';
}

/** How long open() waits for the first attempt; later attempts run in the background. */
const firstAttemptMs = 5_000;
const heartbeatSeconds = 10;
/** A node that accepts a connection but does not answer is left for the next one. */
const readyWithinMs = 60_000;

/** Between 0.5 s and 3.2 s: a service that waits half a minute for a broker that is back delays all work. */
const reconnectMs = (rounds: number) => Math.max(500, doublingBackoff(Math.min(rounds, 3) + 3));

type Listener = () => Promise<void>;

/**
 * A connection to RabbitMQ that reconnects itself, to the next node of a cluster; listeners run each time it is up and
 * the topology is declared.
 */
export class AmqpConnection {
  private model: ChannelModel | undefined;
  private readonly closing = new AbortController();
  private readonly listeners = new Set<Listener>();
  private connecting: Promise<void> | undefined;
  private readonly addresses: readonly string[];
  /** Counts attempts; it starts at random, so that the services of an installation use all nodes of a cluster. */
  private attempts = randomInt(1_000);

  private constructor(
    url: string,
    private readonly service: ServiceName,
    private readonly log: Logger,
  ) {
    this.addresses = brokerAddresses(url);
  }

  /**
   * Waits only for the first attempt, so that configuration errors surface at start-up while an unavailable broker is
   * retried in the background without limit. Throws TopologyMismatchError.
   */
  static async open(url: string, service: ServiceName, log: Logger): Promise<AmqpConnection> {
    const connection = new AmqpConnection(url, service, log);
    const tried = new AbortController();
    const connected = connection.connect(() => tried.abort());
    await Promise.race([connected, pause(firstAttemptMs, tried.signal)]).finally(() => tried.abort());
    if (!connection.model) connection.inBackground(connected);
    return connection;
  }

  /** The live connection; undefined while it is down. */
  get current(): ChannelModel | undefined {
    return this.model;
  }

  /** Version of the connected broker. */
  get version(): string | undefined {
    return this.model?.connection.serverProperties.version;
  }

  /** Runs the listener now if connected, and after every reconnection. */
  async whenUp(listener: Listener): Promise<void> {
    this.listeners.add(listener);
    if (this.model) await listener();
  }

  removeListener(listener: Listener): void {
    this.listeners.delete(listener);
  }

  /** Declares the topology again, in case part of it was deleted. */
  async restoreTopology(): Promise<void> {
    if (this.model) await declare(this.model, this.service).catch((error: unknown) => this.giveUpIfMismatched(error));
  }

  /** Leaves a node that does not answer for the next one. Throws that it did not. */
  leave(): void {
    if (this.model) hangUp(this.model);
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.connecting !== undefined) await closeWithin(this.connecting);
    const model = this.model;
    this.model = undefined;
    if (model) await closeWithin(model.close());
  }

  /** Runs one connect loop at a time. */
  private connect(onFailure: () => void = () => undefined): Promise<void> {
    this.connecting ??= this.connectLoop(onFailure).finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  private inBackground(connecting: Promise<void>): void {
    connecting.then(
      () => this.model && this.log.info('connected to RabbitMQ'),
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
        this.log.warn({ err: error }, 'RabbitMQ is not reachable, will retry');
        onFailure();
      }
      const rounds = attempt / this.addresses.length;
      if (Number.isInteger(rounds)) await pause(reconnectMs(rounds), this.closing.signal);
    }
  }

  private async connectOnce(): Promise<void> {
    this.attempts += 1;
    const address = this.addresses[this.attempts % this.addresses.length] ?? '';
    const { url, certificateAuthority } = brokerAddress(address);
    const model = await connect(url, {
      // Without noDelay, manual acknowledgements were delayed by 40 ms.
      noDelay: true,
      timeout: 5_000,
      clientProperties: { connection_name: `idsync ${this.service}` },
      ...(certificateAuthority && { ca: [certificateAuthority] }),
    });
    // Without a listener, a connection error would crash the process.
    model.on('error', (err: unknown) => this.log.warn({ err }, 'RabbitMQ connection failed'));
    model.once('close', () => this.lost(model));
    try {
      if (!(await within(readyWithinMs, this.prepare(model)))) hangUp(model);
    } catch (error) {
      this.model = undefined;
      await closeWithin(model.close());
      throw error;
    }
  }

  private async prepare(model: ChannelModel): Promise<void> {
    await declare(model, this.service);
    this.model = model;
    for (const listener of this.listeners) await listener();
  }

  private lost(model: ChannelModel): void {
    if (this.model !== model) return;
    this.model = undefined;
    if (this.closing.signal.aborted) return;
    this.log.warn('RabbitMQ connection lost, reconnecting');
    // If the connection was lost while its listeners ran, the current loop continues.
    if (this.connecting !== undefined) return;
    this.inBackground(this.connect());
  }

  /**
   * Crashes the process on a mismatch, because retrying cannot fix it and a service that cannot work must not report
   * healthy.
   */
  private giveUpIfMismatched(error: unknown): void {
    if (!(error instanceof TopologyMismatchError)) throw error;
    setImmediate(() => {
      throw error;
    });
  }
}

/** Ends the socket, because closing a connection waits for the node as well; all its channels are closed with it. */
function hangUp(model: ChannelModel): never {
  const error = new Error('RabbitMQ did not answer in time');
  const { stream } = model.connection as unknown as { stream: Socket };
  stream.destroy(error);
  throw error;
}

/** Declares exchanges and queues. Throws TopologyMismatchError if they exist with other arguments. */
async function declare(model: ChannelModel, service: ServiceName): Promise<void> {
  try {
    await assertTopology(model, service);
  } catch (error) {
    if ((error as { code?: number }).code !== 406) throw error;
    throw new TopologyMismatchError(
      `a queue or exchange exists in RabbitMQ with other arguments: ${(error as Error).message}`,
    );
  }
}

/**
 * Splits an address into the part the client library understands and the certificate authority in `?cacertfile=`, as in
 * the URIs of RabbitMQ's own clients. The file is read at each connection, so a renewed one applies without a restart.
 */
function brokerAddress(text: string): { url: string; certificateAuthority: Buffer | undefined } {
  const url = new URL(text);
  const file = url.searchParams.get('cacertfile');
  url.searchParams.delete('cacertfile');
  url.searchParams.set('heartbeat', String(heartbeatSeconds));
  return { url: url.toString(), certificateAuthority: file === null ? undefined : readFileSync(file) };
}
