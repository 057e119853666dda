import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { LdapConfig } from '@idsync/contracts';
import { BlockedError, ConnectTimeoutError, UnresolvedError } from '@idsync/runtime';
import { orAborted } from '../answer-of.js';
import { SourceError } from '../connector.js';
import { isTlsFailure } from '../http/failures.js';
import { isLostConnection, openSocket } from '../open-socket.js';

export interface Endpoint {
  /** Host name or address without brackets. */
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  ca?: string | undefined;
  serverName?: string | undefined;
}

const resolveMs = 5_000;
const connectMs = 10_000;

export function endpointOf(config: Pick<LdapConfig, 'url' | 'ca' | 'server_name'>): Endpoint {
  const url = new URL(config.url.replace(/^ldap/i, 'http'));
  const secure = /^ldaps:/i.test(config.url);
  // URL omits the default ports of HTTP.
  const port = Number(/:(\d+)\/?$/.exec(config.url)?.[1] ?? (secure ? 636 : 389));
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return { host, port, secure, ca: config.ca, serverName: config.server_name };
}

/** Connects to the endpoint, with TLS for ldaps. */
export async function connect(
  endpoint: Endpoint,
  allowedCidrs: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port, secure } = endpoint;
  if (port < 1 || port > 65_535)
    throw new SourceError(`port must be between 1 and 65535, got ${port}`, 'misconfigured');
  const called = { host, port, allowedCidrs, resolveMs, connectMs };
  const opened = await openSocket(called, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(endpoint, error);
  });
  return secure ? secureSocket(opened, endpoint, signal) : opened;
}

/**
 * Starts TLS on an open connection. The certificate is always verified; a self-signed one has to be configured as `ca`.
 */
export async function secureSocket(socket: Socket, endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
  const { host, port, ca, serverName } = endpoint;
  const servername = serverName ?? (isIP(host) === 0 ? host : undefined);
  const name = `${host}:${port}`;
  try {
    const secured = connectTls({ socket, host, servername, ca });
    const opening = new Promise<Socket>((done, fail) => {
      // Not removed, because a later error without a listener would terminate the process.
      secured.on('error', (cause) => fail(failed(name, cause)));
      secured.once('close', () => {
        fail(new SourceError(`${name} closed the connection`, { code: 'unreachable', transient: true }));
      });
      secured.once('secureConnect', () => done(secured));
    });
    return await orAborted(opening, signal, { ms: connectMs, late: () => timeoutError(name) });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function unreachable({ host, port }: Endpoint, cause: unknown): SourceError {
  if (cause instanceof BlockedError) {
    return new SourceError(`${host} is not allowed: ${cause.message}`, { code: 'not_allowed', cause });
  }
  if (cause instanceof UnresolvedError) {
    return new SourceError(`${host} cannot be resolved`, { code: 'unreachable', cause });
  }
  if (cause instanceof ConnectTimeoutError) return timeoutError(`${host}:${port}`);
  return failed(`${host}:${port}`, cause as Error);
}

function timeoutError(name: string): SourceError {
  return new SourceError(`${name} did not respond within ${connectMs} ms`, { code: 'timed_out', transient: true });
}

/** Describes a connection failure by its Node error code, because the names in a certificate are text of the source. */
function failed(name: string, cause: Error & { code?: string }): SourceError {
  const { code: systemCode = 'unknown reason', message: said } = cause;
  if (!isTlsFailure(systemCode)) {
    const transient = isLostConnection(cause);
    return new SourceError(`${name} cannot be reached (${systemCode})`, {
      code: 'unreachable',
      said,
      transient,
      cause,
    });
  }
  const what = /^(ERR_SSL|EPROTO|ERR_TLS(?!_CERT))/.test(systemCode)
    ? 'failed the TLS handshake'
    : 'has an untrusted certificate';
  return new SourceError(`${name} ${what} (${systemCode})`, { code: 'tls_failed', said, cause });
}
