import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { ResolveHost } from './resolve-host.js';
import { type VetAddress, vetPort } from './vet-address.js';

/** We do not call there; the receiver was never asked. */
export class BlockedError extends Error {}
export class ConnectTimeoutError extends Error {}

export interface ConnectSettings {
  vet: VetAddress;
  resolve: ResolveHost;
  /** For the connection and its TLS handshake together. */
  connectMs: number;
  /** Authorities in PEM that are trusted instead of the well-known ones, and what this side shows of itself. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;
}

/** Opens the connections of undici: to hosts and ports that may be called, and nowhere else. */
export function vettedConnector(settings: ConnectSettings): buildConnector.connector {
  return (options, callback) => {
    connectForHttp(settings, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/**
 * A connection without TLS, whatever the port. The name is resolved here and every one of its addresses looked at; the connection is made
 * to one of those very addresses, so that a name that resolves to something else a moment later leads nowhere. Whom the socket has
 * reached is looked at once more.
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
    // A certificate is never of an address that was written as one, but its name is checked all the same.
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

/** `until`: the time of `performance.now()` when all of it must be done. */
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
    // Called for names only; an address is its own answer.
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

/** Without the brackets of an IPv6 address, and the dot that says that a name is complete. */
function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new BlockedError(reason);
}

/** `until` is a time of `performance.now()`. */
async function opened(socket: Socket, event: string, until: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(new ConnectTimeoutError('not connected in time')), until - performance.now());
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
