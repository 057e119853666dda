import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Received, Receiver } from '../../apps/webhook-dispatcher/test/receiver.js';
import type { Random } from '../support/seeded-random.js';

/** Part of the requests that are answered 500. */
const failing = 0.03;

/** One subscriber: records the ids it accepted, and invalid requests. */
export class Subscriber {
  readonly accepted = new Set<string>();
  readonly wrong: string[] = [];
  requests = 0;
  secret = '';
  private readonly bodies = new Map<string, string>();

  constructor(readonly path: string) {}

  /** Requests with an id that was already received. */
  get repeats(): number {
    return this.requests - this.bodies.size;
  }

  take({ headers, body }: Received, response: ServerResponse, fails: boolean): void {
    this.requests += 1;
    const id = String(headers['webhook-id']);
    if (!this.isSigned(id, headers, body)) this.wrong.push(`${id} has no valid signature`);
    const before = this.bodies.get(id);
    if (before !== undefined && before !== body) this.wrong.push(`${id} came with two bodies`);
    this.bodies.set(id, body);
    if (fails) return void response.writeHead(500).end();
    response.once('finish', () => this.accepted.add(id));
    response.writeHead(204).end();
  }

  /** Ignores the age of the timestamp, because the sender's clock may be stepped. */
  private isSigned(id: string, headers: Received['headers'], body: string): boolean {
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    return String(headers['webhook-signature'])
      .split(' ')
      .includes(new Webhook(this.secret).sign(id, at, body));
  }
}

/** The web server of all subscribers, each with its own path. */
export class Subscribers {
  private readonly byPath = new Map<string, Subscriber>();

  private constructor(
    private readonly receiver: Receiver,
    private readonly random: Random,
  ) {
    receiver.answer = (request, response) => this.take(request, response);
  }

  static async start(random: Random): Promise<Subscribers> {
    return new Subscribers(await Receiver.start(), random);
  }

  get port(): number {
    return Number(new URL(this.receiver.url).port);
  }

  add(): Subscriber {
    const subscriber = new Subscriber(`/${this.byPath.size}`);
    this.byPath.set(subscriber.path, subscriber);
    return subscriber;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private take(request: Received, response: ServerResponse): void {
    // Drops recorded requests, which would otherwise grow with the run.
    this.receiver.received.length = 0;
    const subscriber = this.byPath.get(request.path);
    if (subscriber) subscriber.take(request, response, this.random() < failing);
    else response.writeHead(404).end();
  }
}
