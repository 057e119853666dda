import type { Socket } from 'node:net';
import { addressVetter, ConnectTimeoutError, connectVetted, hostResolver } from '@idsync/runtime';
import { orAborted } from './answer-of.js';

export interface Called {
  /** A host name or IP address. */
  host: string;
  port: number;
  /** Private networks that connectors may call. */
  allowedCidrs: readonly string[];
  resolveMs: number;
  connectMs: number;
}

/** Connects to a host if all its addresses are allowed. Throws the errors of `connectVetted` or the abort reason. */
export async function openSocket(
  { host, port, allowedCidrs, resolveMs, connectMs }: Called,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const settings = { vet: addressVetter(allowedCidrs), resolve: hostResolver(resolveMs), connectMs };
  const connecting = connectVetted(settings, host, port).then((socket) => {
    // Without a listener, an early socket error would terminate the process.
    socket.on('error', () => undefined);
    // The caller has already received the abort reason.
    if (signal.aborted) socket.destroy();
    return socket;
  });
  return orAborted(connecting, signal);
}

/** Returns whether a network error is transient: refused, unreachable, timed out or disconnected. */
export function isLostConnection(error: unknown): boolean {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (error instanceof ConnectTimeoutError) return true;
  // An aggregate error contains one error per address.
  if (code === undefined && Array.isArray(errors)) return errors.length > 0 && errors.every(isLostConnection);
  return /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOST(UNREACH|DOWN)|ENET(UNREACH|DOWN|RESET))$/.test(
    String(code),
  );
}
