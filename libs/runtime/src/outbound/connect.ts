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

/**
 * Opens the connections of undici. The name is resolved here and every one of its addresses looked at; the connection is made to
 * one of those very addresses, so that a name that resolves to something else a moment later leads nowhere. Whom the socket has
 * reached is looked at once more.
 */
export function vettedConnector(settings: ConnectSettings): buildConnector.connector {
  return (options, callback) => {
    connectVetted(settings, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

async function connectVetted(
  { vet, resolve, connectMs, tls }: ConnectSettings,
  { hostname, port: portText, protocol, servername }: buildConnector.Options,
): Promise<Socket> {
  const secure = protocol === 'https:';
  const port = Number(portText) || (secure ? 443 : 80);
  refuse(vetPort(port));
  // Brackets of an IPv6 address, and the dot that says that a name is complete.
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  for (const address of addresses) refuse(vet(address));

  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  const socket = connectTcp({
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
  const until = performance.now() + connectMs;
  const raw = await opened(socket, 'connect', until);
  try {
    refuse(vet(raw.remoteAddress ?? ''));
    if (!secure) return raw;
    // A certificate is never of an address that was written as one, but its name is checked all the same.
    const name = servername ?? (isIP(host) === 0 ? host : undefined);
    return await opened(
      connectTls({ ...tls, socket: raw, servername: name, host, ALPNProtocols: ['http/1.1'] }),
      'secureConnect',
      until,
    );
  } catch (error) {
    raw.destroy();
    throw error;
  }
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
