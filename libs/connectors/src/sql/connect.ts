import type { Socket } from 'node:net';
import { vetPort } from '@idsync/runtime';
import { SourceError } from '../connector.js';
import { openSocket } from '../open-socket.js';
import type { Target } from './session.js';

const resolveMs = 3_000;
const connectMs = 5_000;

/** Connects without TLS, which the database protocol starts later. */
export async function connect({ host, port, allowedCidrs }: Target, signal: AbortSignal): Promise<Socket> {
  // Ports blocked for web clients are also blocked for database clients.
  if (vetPort(port) !== undefined) throw new SourceError(`port ${port} is not allowed for a database`, 'misconfigured');
  return openSocket({ host, port, allowedCidrs, resolveMs, connectMs }, signal);
}
