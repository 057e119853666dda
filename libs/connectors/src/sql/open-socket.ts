import type { Socket } from 'node:net';
import { addressVetter, hostResolver, vettedConnector } from '@idsync/runtime';
import type { Target } from './session.js';

const dnsMs = 3_000;
const connectMs = 5_000;

/** A socket to an address that we may call. */
export function openSocket({ host, port, allowedCidrs }: Target, signal: AbortSignal): Promise<Socket> {
  const connect = vettedConnector({ vet: addressVetter(allowedCidrs), resolve: hostResolver(dnsMs), connectMs });
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    // Plain as HTTP is: when TLS begins is for the database's own protocol to say.
    connect({ hostname: host, port: String(port), protocol: 'http:' }, (error, socket) => {
      signal.removeEventListener('abort', abort);
      if (!socket) return reject(error);
      // A reset between here and the driver's own listener must not end the process.
      socket.on('error', () => {});
      if (signal.aborted) socket.destroy();
      else resolve(socket);
    });
  });
}

export class NoAnswer extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1_000} s`);
  }
}

/** Waits for an answer on a socket, which is destroyed if the answer is late or the signal comes first. */
export async function answered<T>(
  work: Promise<T>,
  { socket, signal, ms }: { socket: Socket; signal: AbortSignal; ms: number },
): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    const timer = setTimeout(() => reject(new NoAnswer(ms)), ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  stopped.catch(() => socket.destroy());
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stop();
    work.catch(() => {});
  }
}
