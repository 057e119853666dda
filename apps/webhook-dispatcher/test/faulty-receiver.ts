import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Received, Receiver } from './receiver.js';

/** Probability of each behaviour; otherwise the receiver answers 204 after up to `slowMs`. */
export interface FaultRates {
  failing?: number;
  /** 429, with a second of `Retry-After`. */
  throttling?: number;
  /** Reads the request and never answers. */
  silent?: number;
  /** Reads the request and closes the connection. */
  cutting?: number;
  slowMs?: number;
}

export interface Taken {
  id: string;
  body: string;
  /** Result of the Standard Webhooks verifier. */
  signed: boolean;
  /** Set after a success response was sent. */
  accepted?: true;
}

/** A receiver that records its requests and fails some of them at random. */
export class FaultyReceiver {
  readonly taken: Taken[] = [];
  /** Secret from `POST /v1/webhooks`. */
  secret = '';

  private constructor(
    private readonly receiver: Receiver,
    private readonly rates: FaultRates,
    private readonly random: () => number,
  ) {
    receiver.answer = (request, response) => this.take(request, response);
  }

  static async start(rates: FaultRates, random: () => number): Promise<FaultyReceiver> {
    return new FaultyReceiver(await Receiver.start(), rates, random);
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
    const { failing = 0, throttling = 0, silent = 0, cutting = 0, slowMs = 0 } = this.rates;
    const kind = this.random();
    const delayMs = this.random() * slowMs;
    if (kind < silent) return;
    if (kind < silent + cutting) return void response.destroy();
    const failed = kind < silent + cutting + failing + throttling;
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
