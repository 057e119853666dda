import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

type Answer = (request: Received, response: ServerResponse) => void;

/** A web server that records its requests and answers with `answer`, by default 204. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = (_, response) => response.writeHead(204).end();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new Receiver(server, `http://127.0.0.1:${port}/hook`);
    server.on('request', (request, response) => void receiver.take(request, response));
    return receiver;
  }

  /** Sets a fixed status and headers for all responses. */
  status(code: number, headers: Record<string, string> = {}): void {
    this.answer = (_, response) => response.writeHead(code, headers).end();
  }

  ids(): string[] {
    return this.received.map(({ headers }) => String(headers['webhook-id']));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const received = { path: request.url ?? '', headers: request.headers, body, at: Date.now() };
    this.received.push(received);
    this.answer(received, response);
  }
}
