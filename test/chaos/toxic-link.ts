import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A fault of a link: chunks are delayed, connections are cut, data vanishes without an end, or data trickles. */
export type Toxic =
  | { kind: 'latency'; ms: number }
  | { kind: 'cut' }
  | { kind: 'half-open' }
  | { kind: 'trickle'; bytes: number };

const trickleMs = 20;

interface Pair {
  near: Socket;
  far: Socket | undefined;
  /** Half-open: neither side sees data or the end of the other, even after the fault ended. */
  dead: boolean;
}

/** A TCP proxy to one local server, which forwards everything until a fault is set. */
export class ToxicLink {
  private readonly pairs = new Set<Pair>();
  private toxic: Toxic | undefined;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {}

  static async to(targetPort: number): Promise<ToxicLink> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const link = new ToxicLink(server, targetPort);
    server.on('connection', (socket) => link.serve(socket));
    return link;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Returns the target's address through this link. */
  through(url: string): string {
    const copy = new URL(url);
    copy.host = `127.0.0.1:${this.port}`;
    return copy.toString();
  }

  poison(toxic: Toxic): void {
    this.toxic = toxic;
    for (const pair of this.pairs) {
      if (toxic.kind === 'cut') destroy(pair);
      if (toxic.kind === 'half-open') pair.dead = true;
    }
  }

  /** Lets new connections work again; a half-open one stays half-open. */
  heal(): void {
    this.toxic = undefined;
  }

  /** Closes half-open connections, as a TCP timeout of the host does. */
  forget(): void {
    for (const pair of this.pairs) if (pair.dead) destroy(pair);
  }

  async close(): Promise<void> {
    for (const pair of this.pairs) destroy(pair);
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(near: Socket): void {
    near.on('error', () => undefined);
    if (this.toxic?.kind === 'cut') return void near.destroy();
    const dead = this.toxic?.kind === 'half-open';
    const far = dead ? undefined : connect(this.targetPort, '127.0.0.1');
    const pair: Pair = { near, far, dead };
    this.pairs.add(pair);
    far?.on('error', () => undefined);
    for (const socket of [near, far]) {
      socket?.once('close', () => {
        if (!pair.dead) destroy(pair);
        if (near.destroyed && (far?.destroyed ?? true)) this.pairs.delete(pair);
      });
    }
    void this.pump(pair, near, far);
    if (far) void this.pump(pair, far, near);
  }

  private async pump(pair: Pair, from: Socket, to: Socket | undefined): Promise<void> {
    try {
      for await (const chunk of from) {
        for (const part of await this.parts(chunk)) {
          if (pair.dead || !to) continue;
          if (!to.write(part)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
          if (this.toxic?.kind === 'trickle') await pause(trickleMs);
        }
      }
      if (!pair.dead) to?.end();
    } catch {
      // The connection was cut; `close` handles the other side.
    }
  }

  private async parts(chunk: Buffer): Promise<Buffer[]> {
    const { toxic } = this;
    if (toxic?.kind === 'latency') await pause(toxic.ms);
    if (toxic?.kind !== 'trickle') return [chunk];
    const count = Math.ceil(chunk.length / toxic.bytes);
    return Array.from({ length: count }, (_, at) => chunk.subarray(at * toxic.bytes, (at + 1) * toxic.bytes));
  }
}

function destroy({ near, far }: Pair): void {
  near.destroy();
  far?.destroy();
}
