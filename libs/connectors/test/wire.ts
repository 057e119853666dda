import type { Socket } from 'node:net';
import { forward, TcpServer } from './tcp-server.js';

/** A TCP proxy between a connector and a test server, which forwards everything unless a fault is set. */
export class Wire {
  /** Bytes received from the server over all connections since the last `mend`. */
  passed = 0;
  private cutAfter = Number.POSITIVE_INFINITY;
  private onSilence: (() => void) | undefined;
  private isOut = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly tcp: TcpServer,
    private readonly target: { host: string; port: number },
  ) {}

  static async to(port: number, host = '127.0.0.1'): Promise<Wire> {
    const tcp = await TcpServer.start((socket) => wire.serve(socket));
    const wire = new Wire(tcp, { host, port });
    return wire;
  }

  get port(): number {
    return this.tcp.port;
  }

  /** Closes each connection after this many bytes from the server. */
  cut(bytes: number): void {
    this.cutAfter = bytes;
  }

  /** Accepts connections without a response; calls `asked` for each. */
  silence(asked: () => void): void {
    this.onSilence = asked;
  }

  /** Closes every connection, and each new one, until `mend`. */
  outage(): void {
    this.isOut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isOut = false;
    this.passed = 0;
    this.cutAfter = Number.POSITIVE_INFINITY;
    this.onSilence = undefined;
  }

  /** Resolves when no client is connected. */
  released(): Promise<void> {
    return this.tcp.released();
  }

  close(): Promise<void> {
    return this.tcp.close();
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (this.isOut) socket.destroy();
    else if (this.onSilence) {
      // A socket with unread data does not close.
      socket.resume();
      setImmediate(this.onSilence);
    } else forward(socket, this.target.port, this.cutAfter, (bytes) => this.count(bytes), this.target.host);
  }

  private count(bytes: number): void {
    this.passed += bytes;
  }
}
