// SQL by hand: listen and unlisten.
import type { Connection } from './service-connections.js';

/**
 * Listens on a connection, which it then owns. Returns a function that stops listening. `onLost` is called once if the
 * connection is lost; the caller then decides whether to listen again.
 */
export async function listen(
  { client, release }: Connection,
  channel: string,
  onNotify: (payload: string) => void,
  onLost: () => void,
): Promise<() => Promise<void>> {
  let closed = false;
  let listening = false;
  const close = () => {
    closed = true;
    release();
  };
  const lost = () => {
    if (closed) return;
    // A dead connection that is not released would count against the pool permanently.
    close();
    if (listening) onLost();
  };
  client.on('notification', (message) => onNotify(message.payload ?? ''));
  client.on('error', lost);
  client.on('end', lost);
  try {
    await client.query(`listen ${channel}`);
  } catch (error) {
    // A caller that gets this error does not get `onLost` as well, so that it retries only once.
    if (!closed) close();
    throw error;
  }
  listening = true;
  return async () => {
    if (closed) return;
    closed = true;
    client.removeAllListeners('notification');
    await client.query('unlisten *').catch(() => undefined);
    release();
  };
}
