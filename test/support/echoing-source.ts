import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A source over HTTP that gives out one token and refuses everything else, repeating all that it was sent. */
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
    const said = `${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`;
    this.repeated.push(said);
    const isToken = request.url?.includes('/token');
    const message = { error: { code: 'Refused', message: said }, detail: said, error_description: said };
    const body = isToken ? { access_token: this.issued, token_type: 'Bearer', expires_in: 3600 } : message;
    response.writeHead(isToken ? 200 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
