import type { Socket } from 'node:net';
import { handOn, TcpServer } from './tcp-server.js';

/** What a connector reaches a server of a test through: it hands everything on, until it is told otherwise. */
export class Wire {
  /** Bytes that came from the server, over all connections since the last `mend`. */
  passed = 0;
  private cutAfter = Number.POSITIVE_INFINITY;
  private onSilence: (() => void) | undefined;

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

  /** Ends each connection after so many bytes from the server. */
  cut(bytes: number): void {
    this.cutAfter = bytes;
  }

  /** Takes what is asked and answers nothing; `asked` is called for each connection. */
  silence(asked: () => void): void {
    this.onSilence = asked;
  }

  mend(): void {
    this.passed = 0;
    this.cutAfter = Number.POSITIVE_INFINITY;
    this.onSilence = undefined;
  }

  /** Settles when nobody is connected. */
  released(): Promise<void> {
    return this.tcp.released();
  }

  close(): Promise<void> {
    return this.tcp.close();
  }

  private serve(socket: Socket): void {
    if (this.onSilence) {
      // What nobody reads keeps a socket from closing.
      socket.resume();
      setImmediate(this.onSilence);
    } else handOn(socket, this.target.port, this.cutAfter, (bytes) => this.count(bytes), this.target.host);
  }

  private count(bytes: number): void {
    this.passed += bytes;
  }
}
