import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import type { Variables } from '../src/printer.js';
import { run } from '../src/run.js';

/** A body whose connection is lost behind it. */
export class Cut {
  constructor(readonly text: string) {}
}

type Reply = [status: number, body?: unknown, headers?: Record<string, string>];

interface RecordedRequest {
  call: string;
  authorization: string | undefined;
  body: unknown;
}

export const token = 'operator-token-of-the-test';

/** A fake operator API with canned replies, and the command line run against it. */
export class FakeService {
  /** By "METHOD /path", with or without its query. A list of replies is returned in order; its last one repeats. */
  readonly replies: Record<string, Reply[]> = {};
  readonly requests: RecordedRequest[] = [];

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
      service.requests.push({ call, authorization: request.headers.authorization, body: await bodyOf(request) });
      const [status, body, headers] = service.replyTo(call);
      response.writeHead(status, { connection: 'close', ...headers });
      if (body instanceof Cut) response.write(body.text, () => response.destroy());
      else response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    return service;
  }

  /** Stops listening. */
  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  async stop(): Promise<void> {
    this.close();
    await rm(this.cwd, { recursive: true });
  }

  /** `typed`: the input at a terminal; without it, standard input is no terminal. */
  async idsync(
    argumentsList: string[],
    { env, typed, stop }: { env?: Variables; typed?: string; stop?: AbortSignal } = {},
  ) {
    const written = { out: '', err: '' };
    const sink = (name: 'out' | 'err') =>
      new Writable({
        write(chunk, _encoding, done) {
          written[name] += String(chunk);
          done();
        },
      });
    const given = env ?? { IDSYNC_URL: this.url, ADMIN_TOKEN: token, IDSYNC_TENANT: 'ten_1' };
    const variables = { XDG_CONFIG_HOME: join(this.cwd, 'config'), ...given };
    const input = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
    input.end(typed);
    const context = { in: input, out: sink('out'), err: sink('err'), env: variables, cwd: this.cwd, stop };
    const code = await run(argumentsList, context);
    return { code, ...written };
  }

  private replyTo(call: string): Reply {
    const queue = this.replies[call] ?? this.replies[call.replace(/\?.*/, '')] ?? [[404, { error: 'not found' }]];
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? [500];
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
}
