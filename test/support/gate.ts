import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy to a server that can be shut, also in the middle of a transfer. */
export class Gate {
  /** Bytes sent by the server. */
  passed = 0;
  private limit = Number.POSITIVE_INFINITY;
  private onShut = () => {};
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async before(port: number, host = '127.0.0.1'): Promise<Gate> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const gate = new Gate(server, typeof address === 'object' && address ? address.port : 0);
    server.on('connection', (near) => gate.lead(near, connect(port, host)));
    return gate;
  }

  /**
   * Shuts the proxy once the server has sent this many more bytes, and resolves then; connections fail until it is
   * opened.
   */
  shutAfter(bytes: number): Promise<void> {
    this.limit = this.passed + bytes;
    return new Promise((resolve) => {
      this.onShut = resolve;
    });
  }

  open(): void {
    this.limit = Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private lead(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one
        .on('error', () => undefined)
        .once('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
    }
    if (this.passed >= this.limit) return void near.destroy();
    near.pipe(far);
    far.on('data', (chunk) => {
      this.passed += chunk.length;
      if (this.passed < this.limit) return void near.write(chunk);
      for (const socket of this.sockets) socket.destroy();
      this.onShut();
    });
  }
}
