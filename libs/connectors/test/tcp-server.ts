import { connect, createServer, type Server, type Socket } from 'node:net';

/** A server on a free local port whose connection handler a test provides. */
export class TcpServer {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(serve: (socket: Socket, number: number) => void): Promise<TcpServer> {
    let number = 0;
    const server = createServer((socket) => {
      tcp.keep(socket);
      serve(socket, number);
      number += 1;
    });
    const tcp = new TcpServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return tcp;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Resolves when no client is connected. */
  async released(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => new Promise((closed) => socket.once('close', closed))));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** Forwards a connection, reports the received bytes, and closes it after `cutAfter` of them. */
export function forward(
  socket: Socket,
  port: number,
  cutAfter = Number.POSITIVE_INFINITY,
  received = (_: number) => {},
  host = '127.0.0.1',
): void {
  const upstream = connect(port, host);
  let passed = 0;
  upstream.on('data', (chunk) => {
    const part = chunk.subarray(0, cutAfter - passed);
    passed += part.length;
    received(part.length);
    socket.write(part);
    if (passed >= cutAfter) socket.destroy();
  });
  socket.on('data', (chunk) => upstream.write(chunk));
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    one.on('error', () => {});
    one.on('close', () => other.destroy());
  }
}
