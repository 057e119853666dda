import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/** Bounds on reading the rest of a refused request before its connection is closed. */
export const drainLimits = { bytes: 16 * 1024 * 1024, ms: 10_000 };

const draining = new WeakSet<Readable>();

/** Reads and discards the rest of a request. False if it does not end within the bounds. */
export async function drainRequest(request: IncomingMessage): Promise<boolean> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (request.complete || (coding === undefined && !Number(length))) return true;
  await drain(request);
  return request.complete;
}

/** True while the rest of a request is discarded; its response follows. */
export function isDraining(request: IncomingMessage): boolean {
  return draining.has(request);
}

/** Closes a connection once the client has closed it, or after the time to read the response. */
export function linger(socket: Duplex): void {
  void drain(socket).finally(() => socket.destroy());
}

function drain(from: Readable): Promise<void> {
  draining.add(from);
  return new Promise<void>((resolve) => {
    let bytes = 0;
    const timer = setTimeout(end, drainLimits.ms);
    function end() {
      clearTimeout(timer);
      draining.delete(from);
      from.off('data', count);
      resolve();
    }
    function count(chunk: Buffer) {
      bytes += chunk.length;
      if (bytes > drainLimits.bytes) end();
    }
    from.on('data', count).on('error', end).once('end', end).once('close', end).resume();
  });
}
