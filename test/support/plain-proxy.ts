import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Backend {
  url: string;
  /** Where it tells whether it wants requests. */
  readyUrl: string;
}

/**
 * A load balancer as simple as they come: each request goes to the next backend that was ready at the last look, on a connection that
 * is kept; nothing is tried twice.
 */
export class PlainProxy {
  /** Requests that each backend was given, by its url. */
  readonly given = new Map<string, number>();
  private ready: Backend[] = [];
  private turn = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly stopping = new AbortController();
  private looking: Promise<void> | undefined;

  private constructor(
    private readonly backends: readonly Backend[],
    private readonly lookMs: number,
    private readonly server: Server,
  ) {
    server.on('request', (incoming, outgoing) => {
      const backend = this.next();
      if (!backend) return outgoing.writeHead(502).end();
      const { method, url, headers } = incoming;
      const forwarded = request(`${backend.url}${url}`, {
        method,
        agent: this.agent,
        headers: { ...headers, connection: 'keep-alive' },
      });
      forwarded.on('response', (answer) => {
        const { connection: _hop, ...told } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, told);
        answer.pipe(outgoing);
      });
      forwarded.on('error', (error) => outgoing.writeHead(502).end(String(error)));
      return incoming.pipe(forwarded);
    });
  }

  static async start(backends: readonly Backend[], lookMs: number): Promise<PlainProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new PlainProxy(backends, lookMs, server);
    await proxy.look();
    proxy.looking = proxy.lookAgainAndAgain();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether this backend was ready at the last look. */
  sends(backend: Backend): boolean {
    return this.ready.includes(backend);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.agent.destroy();
  }

  private next(): Backend | undefined {
    this.turn += 1;
    const backend = this.ready[this.turn % Math.max(this.ready.length, 1)];
    if (backend) this.given.set(backend.url, (this.given.get(backend.url) ?? 0) + 1);
    return backend;
  }

  private async lookAgainAndAgain(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, this.lookMs));
      await this.look();
    }
  }

  private async look(): Promise<void> {
    const looks = this.backends.map(async (backend) => {
      const ready = await fetch(backend.readyUrl).then(
        (answer) => answer.ok,
        () => false,
      );
      return ready ? [backend] : [];
    });
    this.ready = (await Promise.all(looks)).flat();
  }
}
