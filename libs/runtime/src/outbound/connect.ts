import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { ResolveHost } from './resolve-host.js';
import { type VetAddress, vetPort } from './vet-address.js';

/** The address or port is not allowed; no connection was attempted. */
export class BlockedError extends Error {}
export class ConnectTimeoutError extends Error {}

export interface ConnectSettings {
  vet: VetAddress;
  resolve: ResolveHost;
  /** Time limit for connection and TLS handshake together. */
  connectMs: number;
  /** Certificate authorities in PEM that replace the default ones, and the client certificate. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;
}

/** Creates undici's connector, restricted to allowed addresses and ports. */
export function vettedConnector(settings: ConnectSettings): buildConnector.connector {
  return (options, callback) => {
    connectForHttp(settings, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/**
 * Opens a connection without TLS to any port. All resolved addresses are checked and the connection uses one of exactly
 * those, which prevents DNS rebinding. The remote address of the socket is checked again.
 */
export async function connectVetted(settings: ConnectSettings, host: string, port: number): Promise<Socket> {
  const { socket } = await connectWithin(settings, bareHost(host), port);
  return socket;
}

async function connectForHttp(
  settings: ConnectSettings,
  { hostname, port: portText, protocol, servername }: buildConnector.Options,
): Promise<Socket> {
  const secure = protocol === 'https:';
  const port = Number(portText) || (secure ? 443 : 80);
  refuse(vetPort(port));
  const host = bareHost(hostname);
  const { socket, until } = await connectWithin(settings, host, port);
  if (!secure) return socket;
  try {
    // No SNI for a literal address; the certificate is still verified against it.
    const name = servername ?? (isIP(host) === 0 ? host : undefined);
    return await opened(
      connectTls({ ...settings.tls, socket, servername: name, host, ALPNProtocols: ['http/1.1'] }),
      'secureConnect',
      until,
    );
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** `until`: deadline by `performance.now()`. */
async function connectWithin(
  { vet, resolve, connectMs }: ConnectSettings,
  host: string,
  port: number,
): Promise<{ socket: Socket; until: number }> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  for (const address of addresses) refuse(vet(address));
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  const until = performance.now() + connectMs;
  const connecting = connectTcp({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    // Called for names only.
    lookup: (_, { all }, done) => {
      const [first] = pinned;
      if (all) done(null, pinned);
      else done(null, first?.address ?? '', first?.family);
    },
  });
  const socket = await opened(connecting, 'connect', until);
  const refused = vet(socket.remoteAddress ?? '');
  if (refused !== undefined) socket.destroy();
  refuse(refused);
  return { socket, until };
}

/** Removes the brackets of an IPv6 address and the trailing dot of a name. */
function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new BlockedError(reason);
}

/** `until`: deadline by `performance.now()`. */
async function opened(socket: Socket, event: string, until: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(new ConnectTimeoutError('connection timed out')), until - performance.now());
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
