import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Throws an error that names PORT if the port cannot be used. Checked before the database starts, so that a mistake creates no data
 * directory and causes no recovery.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
  } catch (error) {
    throw new Error(`PORT: cannot listen on ${host}:${port}: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    });
  }
  probe.close();
  await once(probe, 'close');
}
