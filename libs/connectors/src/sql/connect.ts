import type { Socket } from 'node:net';
import { vetPort } from '@idsync/runtime';
import { SourceError } from '../connector.js';
import { openSocket } from '../open-socket.js';
import type { Target } from './session.js';

const resolveMs = 3_000;
const connectMs = 5_000;

/** TLS, if any, begins later: when is for the database's own protocol to say. */
export async function connect({ host, port, allowedCidrs }: Target, signal: AbortSignal): Promise<Socket> {
  // What must not be made to talk to web clients is not made to talk to clients of databases either.
  if (vetPort(port) !== undefined) throw new SourceError(`port ${port} is none of a database`);
  return openSocket({ host, port, allowedCidrs, resolveMs, connectMs }, signal);
}
