import type { Socket } from 'node:net';
import { vetPort } from '@idsync/runtime';
import { orAborted } from '../answer-of.js';
import { SourceError } from '../connector.js';
import { openSocket } from '../open-socket.js';
import type { Target } from './session.js';

const resolveMs = 3_000;
const connectMs = 5_000;

const handshakeMs = 10_000;
/** Added to the statement timeout of the server, for a server that no longer responds. */
const graceMs = 5_000;

export class ResponseTimeout extends Error {}

/** A connection to a database, over which a driver speaks its protocol. */
export interface Connection {
  socket: Socket;
  /** Waits for a response. Destroys the socket on timeout and on abort. */
  answer<T>(work: Promise<T>): Promise<T>;
  /** Waits for the login of the driver. Destroys the socket if it fails. */
  login<T>(work: () => Promise<T>): Promise<T>;
  /** Called for errors between statements. A running statement reports its error itself. */
  lose(): void;
  isLost(): boolean;
  /** Destroys the socket when the driver has ended its session, within a second. */
  close(ended: Promise<unknown>): void;
}

/** Connects without TLS, which the database protocol starts later. */
export async function connect(target: Target, signal: AbortSignal): Promise<Connection> {
  const { host, port, allowedCidrs, timeoutMs } = target;
  // Ports blocked for web clients are also blocked for database clients.
  if (vetPort(port) !== undefined) throw new SourceError(`port ${port} is not allowed for a database`, 'misconfigured');
  const socket = await openSocket({ host, port, allowedCidrs, resolveMs, connectMs }, signal);
  let lost = false;
  const lose = () => {
    lost = true;
  };
  socket.on('close', lose);
  const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
    const late = () => new ResponseTimeout(`no response within ${ms / 1_000} s`);
    return orAborted(work, signal, { ms, late }).catch((error: unknown) => {
      if (signal.aborted || error instanceof ResponseTimeout) socket.destroy();
      throw error;
    });
  };
  return {
    socket,
    answer: (work) => within(timeoutMs + graceMs, work),
    async login(work) {
      try {
        return await within(Math.min(handshakeMs, timeoutMs), work());
      } catch (error) {
        socket.destroy();
        throw error;
      }
    },
    lose,
    isLost: () => lost,
    close(ended) {
      const destroy = setTimeout(() => socket.destroy(), 1_000);
      void ended
        .catch(() => undefined)
        .finally(() => {
          clearTimeout(destroy);
          socket.destroy();
        });
    },
  };
}
