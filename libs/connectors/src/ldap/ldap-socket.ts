import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { BlockedError, ConnectTimeoutError, UnresolvedError } from '@idsync/runtime';
import { SourceError } from '../connector.js';
import { openSocket, orAborted } from '../open-socket.js';

export interface Endpoint {
  /** As it is called; no brackets. */
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  ca?: string | undefined;
  serverName?: string | undefined;
}

const resolveMs = 5_000;
const connectMs = 10_000;

export function endpointOf(config: {
  url: string;
  ca?: string | undefined;
  server_name?: string | undefined;
}): Endpoint {
  const url = new URL(config.url.replace(/^ldap/i, 'http'));
  const secure = /^ldaps:/i.test(config.url);
  // URL leaves out the ports that are usual for HTTP.
  const port = Number(/:(\d+)\/?$/.exec(config.url)?.[1] ?? (secure ? 636 : 389));
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return { host, port, secure, ca: config.ca, serverName: config.server_name };
}

/** A connection as the endpoint has it, with TLS or, for now, without. */
export async function connect(
  endpoint: Endpoint,
  allowedCidrs: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port, secure } = endpoint;
  if (port < 1 || port > 65_535) throw new SourceError(`${port} is no port`);
  const called = { host, port, allowedCidrs, resolveMs, connectMs };
  const opened = await openSocket(called, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(endpoint, error);
  });
  return secure ? secureSocket(opened, endpoint, signal) : opened;
}

/** TLS over an open connection. The certificate is always checked: one that nobody signed is named as `ca`. */
export async function secureSocket(socket: Socket, endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
  const { host, port, ca, serverName } = endpoint;
  const servername = serverName ?? (isIP(host) === 0 ? host : undefined);
  try {
    const secured = connectTls({
      socket,
      host,
      ...(servername !== undefined && { servername }),
      ...(ca !== undefined && { ca }),
    });
    return await settled(secured, 'secureConnect', `${host}:${port}`, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function unreachable({ host, port }: Endpoint, cause: unknown): SourceError {
  if (cause instanceof BlockedError) return new SourceError(`${host} is not called: ${cause.message}`, { cause });
  if (cause instanceof UnresolvedError) return new SourceError(`${host} has no address that is known here`, { cause });
  if (cause instanceof ConnectTimeoutError) return new SourceError(`${host}:${port} did not answer in ${connectMs} ms`);
  return new SourceError(`${host}:${port} ${failureOf(cause as Error)}`, { cause });
}

async function settled(socket: Socket, event: string, name: string, signal: AbortSignal): Promise<Socket> {
  const opening = new Promise<Socket>((done, fail) => {
    const timer = setTimeout(() => fail(new SourceError(`${name} did not answer in ${connectMs} ms`)), connectMs);
    // They stay: what happens before the next one listens must not end the process.
    socket.once('close', () => {
      clearTimeout(timer);
      fail(new SourceError(`${name} closed the connection`));
    });
    socket.on('error', (cause) => fail(new SourceError(`${name} ${failureOf(cause)}`, { cause })));
    socket.once(event, () => {
      clearTimeout(timer);
      done(socket);
    });
  });
  try {
    return await orAborted(opening, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function failureOf(cause: Error & { code?: string }): string {
  const code = cause.code ?? '';
  if (/^(ERR_TLS_CERT|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)) {
    return `has a certificate that is not trusted: ${cause.message} (${code})`;
  }
  if (/^(ERR_SSL|EPROTO|ERR_TLS)/.test(code)) return `does not speak TLS as it should (${code})`;
  return `cannot be reached (${code || cause.message})`;
}
