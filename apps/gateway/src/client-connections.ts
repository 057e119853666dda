import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface EndingTimes {
  /** For answers to leave; what is cut off then is told. */
  answersMs: number;
  /** For a request that is under way on a connection that has brought none yet, or the rest of one. */
  requestsMs: number;
}

interface Known {
  /** Answers that are not on their way as a whole yet. */
  open: number;
  /** What had come when the last of them ended: whatever is more belongs to another request. */
  readThen: number;
}

const times: EndingTimes = { answersMs: 20_000, requestsMs: 2_000 };

/**
 * The connections of a server, so that it ends without cutting an answer off. Node takes a connection for idle as soon as its answer is
 * handed over, though the client may not have fetched it yet, and waits for ever for one that never asked for anything.
 */
export class ClientConnections {
  private readonly known = new Map<Socket, Known>();
  private closing = false;

  constructor(
    server: Server,
    private readonly within: EndingTimes = times,
  ) {
    server.on('connection', (socket: Socket) => {
      this.known.set(socket, { open: 0, readThen: 0 });
      socket.once('close', () => this.known.delete(socket));
    });
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.known.get(request.socket);
      if (!connection) return;
      connection.open += 1;
      response.once('close', () => {
        connection.open -= 1;
        connection.readThen = request.socket.bytesRead;
        // Told before that it is kept, and now is not.
        if (this.closing && connection.open === 0) request.socket.destroySoon();
      });
    });
    // Closing a server calls this.
    server.closeIdleConnections = () => this.end((socket, { open, readThen }) => open === 0 && quiet(socket, readThen));
  }

  /** Closes the server by `close`, bounded. Throws if answers were cut off. */
  async endWith(close: () => Promise<unknown>): Promise<void> {
    this.closing = true;
    let cutOff = 0;
    const timers = [
      setTimeout(() => this.end((_, { open }) => open === 0), this.within.requestsMs),
      setTimeout(() => {
        cutOff = [...this.known.values()].filter(({ open }) => open > 0).length;
        this.end(() => true);
      }, this.within.answersMs),
    ];
    await close().finally(() => timers.forEach(clearTimeout));
    if (cutOff > 0) throw new Error(`${cutOff} answers were not fetched within ${this.within.answersMs / 1_000} s`);
  }

  private end(which: (socket: Socket, connection: Known) => boolean): void {
    for (const [socket, connection] of this.known) if (which(socket, connection)) socket.destroy();
  }
}

/** Nothing has come since its last answer, and it had one: a new connection may be bringing its first request. */
function quiet(socket: Socket, readThen: number): boolean {
  return readThen > 0 && socket.bytesRead === readThen;
}
