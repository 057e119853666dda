import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Encodings in which it echoes a request, in turn. */
const repetitions: readonly ((sent: string) => string)[] = [
  (sent) => sent,
  (sent) => encodeURIComponent(sent),
  (sent) => sent.split('').join('\u0007'),
  (sent) => `${'x'.repeat(250)}${sent}`.slice(0, 500),
  (sent) => Buffer.from(sent).toString('base64'),
];

/** An HTTP source that issues one token, rejects everything else, and echoes all that it received. */
export class EchoingSource {
  readonly issued = 'issued-3vXcJ9eTq2LrYw7NsKmB';
  readonly repeated: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<EchoingSource> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const source = new EchoingSource(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void source.answer(request, response));
    return source;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = `${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`;
    const said = repetitions[this.repeated.length % repetitions.length]?.(sent) ?? sent;
    this.repeated.push(sent);
    const isToken = request.url?.includes('/token');
    const message = { error: { code: 'Refused', message: said }, detail: said, error_description: said };
    const body = isToken ? { access_token: this.issued, token_type: 'Bearer', expires_in: 3600 } : message;
    response.writeHead(isToken ? 200 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
