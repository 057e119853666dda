import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';

export const eventStreamType = 'text/event-stream';
/** Messages that wait for a slow client. */
const maxWaitingBytes = 1024 * 1024;
/** Time in which a client must read the end of its stream. */
const endMs = 1_000;
/** Time after which a browser connects again. */
const retryMs = 3_000;

export interface StreamMessage {
  id: number;
  event?: string;
  data: object;
}

/** Server-sent events to one client, with a bound on what waits for it. */
export class EventStream {
  readonly body = new PassThrough();

  /** `position` is the id of the last message that the client has. */
  constructor(
    private readonly response: ServerResponse,
    public position: number,
  ) {
    // Without data it is no message, but the client continues from this id when it connects again.
    this.body.write(`retry: ${retryMs}\nid: ${position}\n\n`);
  }

  send(message: StreamMessage): void {
    this.position = message.id;
    this.write(format(message));
  }

  /** Sends a comment, which keeps proxies from closing the connection. */
  keepAlive(): void {
    this.write(':\n\n');
  }

  end(): void {
    if (!this.body.writable) return;
    this.body.end();
    const timer = setTimeout(() => this.response.destroy(), endMs);
    this.response.once('close', () => clearTimeout(timer));
  }

  private write(text: string): void {
    if (!this.body.writable) return;
    this.body.write(text);
    if (this.body.readableLength + this.body.writableLength > maxWaitingBytes) this.response.destroy();
  }
}

function format({ id, event, data }: StreamMessage): string {
  return `${event === undefined ? '' : `event: ${event}\n`}id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
