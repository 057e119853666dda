import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';

/** A port that refuses connections until it is opened; then it forwards to `target` until it is frozen or closed. */
export class LatePort {
  private readonly sockets = new Set<Socket>();
  private frozen = false;
  private server: Server | undefined;

  private constructor(
    private readonly target: URL,
    readonly port: number,
  ) {}

  static async reserve(target: string): Promise<LatePort> {
    return new LatePort(new URL(target), await freePort());
  }

  /** Returns the target's address with this port. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.toString();
  }

  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => undefined).once('close', () => other.destroy());
        if (!this.frozen) one.pipe(other);
      }
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  /** Keeps connections and accepts new ones, but stops forwarding data. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const { server } = this;
    this.server = undefined;
    this.frozen = false;
    if (server) await new Promise((resolve) => server.close(resolve));
  }
}
