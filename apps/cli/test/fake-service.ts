import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { run } from '../src/run.js';
import type { Variables } from '../src/settings.js';

interface Asked {
  call: string;
  authorization: string | undefined;
  body: unknown;
}

export const token = 'operator-token-of-the-test';

/** An operator interface that replies what a test has put down, and the command line run against it. */
export class FakeService {
  /** By "METHOD /path", with its query or for any; a list of replies is given one after the other, the last for ever. */
  readonly replies: Record<string, [status: number, body?: unknown][]> = {};
  readonly asked: Asked[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
    /** Where the commands run. */
    readonly cwd: string,
  ) {}

  static async start(): Promise<FakeService> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const service = new FakeService(server, url, await mkdtemp(join(tmpdir(), 'idsync-cli-')));
    server.on('request', async (request, response) => {
      const call = `${request.method} ${request.url?.replace('/admin/v1', '')}`;
      service.asked.push({ call, authorization: request.headers.authorization, body: await bodyOf(request) });
      const [status, body] = service.replyTo(call);
      response.writeHead(status, { connection: 'close' }).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    return service;
  }

  /** Nothing listens there any more. */
  shut(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  async stop(): Promise<void> {
    this.shut();
    await rm(this.cwd, { recursive: true });
  }

  /** `typed`: what a person at a terminal answers; without it, there is nobody. */
  async idsync(argumentsList: string[], { env, typed }: { env?: Variables; typed?: string } = {}) {
    const written = { out: '', err: '' };
    const sink = (name: 'out' | 'err') =>
      new Writable({
        write(chunk, _encoding, done) {
          written[name] += String(chunk);
          done();
        },
      });
    const variables = env ?? { IDSYNC_URL: this.url, ADMIN_TOKEN: token, IDSYNC_TENANT: 'ten_1' };
    const input = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
    input.end(typed);
    const surroundings = { in: input, out: sink('out'), err: sink('err'), env: variables, cwd: this.cwd };
    const code = await run(argumentsList, surroundings);
    return { code, ...written };
  }

  private replyTo(call: string): [status: number, body?: unknown] {
    const queue = this.replies[call] ?? this.replies[call.replace(/\?.*/, '')] ?? [[404, { error: 'not found' }]];
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? [500];
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
}
