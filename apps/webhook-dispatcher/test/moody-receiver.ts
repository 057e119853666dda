import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Received, Receiver } from './receiver.js';

/** How often a receiver does what, as parts of 1; what is left it takes with 204, after up to `slowMs`. */
export interface Mood {
  failing?: number;
  /** 429, with a second of `Retry-After`. */
  asking?: number;
  /** Takes all and never answers. */
  silent?: number;
  /** Takes all and closes the connection. */
  cutting?: number;
  slowMs?: number;
}

export interface Taken {
  id: string;
  body: string;
  /** The verifier of Standard Webhooks accepts it. */
  signed: boolean;
  /** Absent if the answer did not leave, or was not a success. */
  accepted?: true;
}

/** A receiver that keeps what it was sent, and takes most of it. */
export class MoodyReceiver {
  readonly taken: Taken[] = [];
  /** What `POST /v1/webhooks` told. */
  secret = '';

  private constructor(
    private readonly receiver: Receiver,
    private readonly mood: Mood,
    private readonly random: () => number,
  ) {
    receiver.answer = (request, response) => this.take(request, response);
  }

  static async start(mood: Mood, random: () => number): Promise<MoodyReceiver> {
    return new MoodyReceiver(await Receiver.start(), mood, random);
  }

  get url(): string {
    return this.receiver.url;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private take({ headers, body }: Received, response: ServerResponse): void {
    const taken: Taken = { id: String(headers['webhook-id']), body, signed: this.verifies(headers, body) };
    this.taken.push(taken);
    const { failing = 0, asking = 0, silent = 0, cutting = 0, slowMs = 0 } = this.mood;
    const kind = this.random();
    const delayMs = this.random() * slowMs;
    if (kind < silent) return;
    if (kind < silent + cutting) return void response.destroy();
    const failed = kind < silent + cutting + failing + asking;
    const status = kind < silent + cutting + failing ? 500 : failed ? 429 : 204;
    setTimeout(() => {
      if (!failed) response.once('finish', () => Object.assign(taken, { accepted: true }));
      response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end();
    }, delayMs);
  }

  private verifies(headers: Received['headers'], body: string): boolean {
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  }
}
