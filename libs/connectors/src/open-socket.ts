import type { Socket } from 'node:net';
import { addressVetter, connectVetted, hostResolver } from '@idsync/runtime';

export interface Called {
  /** A name or an address. */
  host: string;
  port: number;
  /** Private networks that may be called. */
  allowedCidrs: readonly string[];
  resolveMs: number;
  connectMs: number;
}

/** A socket to one of the addresses of a host, all of which may be called. Throws as `connectVetted` does, or the signal's reason. */
export async function openSocket(
  { host, port, allowedCidrs, resolveMs, connectMs }: Called,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const settings = { vet: addressVetter(allowedCidrs), resolve: hostResolver(resolveMs), connectMs };
  const connecting = connectVetted(settings, host, port).then((socket) => {
    // What happens before the next one listens must not end the process.
    socket.on('error', () => undefined);
    // Nobody waits for it any more.
    if (signal.aborted) socket.destroy();
    return socket;
  });
  return orAborted(connecting, signal);
}

/** The outcome of `work`, or the reason of the signal if that comes first. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
