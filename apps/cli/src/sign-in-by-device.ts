import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from '@idsync/client/operator';
import { AdminClient } from './admin-client.js';
import { CliError, UnreachableError, UsageError } from './cli-error.js';
import { interruption } from './interruption.js';
import type { CliContext } from './session.js';
import { printable } from './table.js';

/** Shows an address and a code, and waits until the person has confirmed it in a browser. Returns the token. */
export async function signInByDevice(url: string, io: CliContext): Promise<string> {
  const client = new AdminClient<Installation>(url);
  const started = await client.call('POST /session/device', {}).catch(explain);
  const address = started.verification_uri_complete ?? started.verification_uri;
  io.err.write(`open ${printable(address)} in a browser, and confirm the code ${printable(started.user_code)}\n`);
  const end = Date.now() + started.expires_in * 1_000;
  const stopping = interruption(io);
  try {
    while (Date.now() < end) {
      await pause(started.interval * 1_000, undefined, { signal: stopping.signal });
      const token = await tokenOf(client, started.handle);
      if (token !== undefined) return token;
    }
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw new CliError('interrupted: nothing was stored');
    throw error;
  } finally {
    stopping.dispose();
  }
  throw new CliError('the code has expired: run "idsync login" again');
}

/** The routes of an identity provider do not exist without one. */
function explain(error: unknown): never {
  if (error instanceof UsageError)
    throw new CliError('this installation has no identity provider: pass --token or set ADMIN_TOKEN');
  throw error;
}

/** Undefined while the person has not confirmed, or the gateway is away. */
async function tokenOf(client: AdminClient<Installation>, handle: string): Promise<string | undefined> {
  try {
    return (await client.call('POST /session/device/token', {}, { handle })).token;
  } catch (error) {
    if (error instanceof UnreachableError) return undefined;
    throw error;
  }
}
