import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from '@idsync/client/operator';
import { AdminClient } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { CliError, UnauthorizedError, UnreachableError, UsageError } from '../cli-error.js';
import { storeToken } from '../contexts.js';
import { interruption } from '../event-stream.js';
import type { CliContext } from '../printer.js';
import { checkedSecret, type SettingFlags } from '../settings.js';
import { printable } from '../table.js';

const loginHelp = `
With the identity provider of the installation: shows an address and a code to confirm in a browser. With --token or
ADMIN_TOKEN: checks this token instead. The result is stored as "idsync context add" stores it, in the context with this
address, and commands use it from now on. A session ends by its timeouts, or with "idsync logout".

Examples:
  $ idsync login --url https://idsync.example.com
  $ ADMIN_TOKEN=$(cat token) idsync login --url https://idsync.example.com --name production`;

interface LoginFlags extends SettingFlags {
  name?: string;
}

/** Adds the commands that sign a person in and out. */
export function addLoginCommands(program: CliCommand): void {
  const { io } = program;
  const env = io.env ?? process.env;

  program
    .add('login', 'sign in with the identity provider or a token, and store the result for later commands')
    .option('--name <name>', 'name of the context (default: the one with this address, otherwise "default")')
    .addHelpText('after', loginHelp)
    .does(async (session, _options: object, command: CliCommand) => {
      const { url, tenant } = session.settings;
      const { name, token: flag } = command.optsWithGlobals<LoginFlags>();
      const token = checkedSecret('the operator token', flag || env.ADMIN_TOKEN) ?? (await signInByDevice(url, io));
      const { actor } = await new AdminClient<Installation>(url, token).call('GET /session', {});
      const stored = storeToken(env, { url, token, tenant, name });
      session.note(`signed in to ${url} as ${actor.name} (${actor.role}), stored in the context ${stored}`);
    });

  program
    .add('logout', 'end the session of "idsync login", and remove the token from the context', '')
    .does(async (session) => {
      const { url, token } = session.settings;
      // A session that has already ended is no reason to keep its token.
      if (token?.startsWith('iso_')) await session.installation.call('DELETE /session', {}).catch(ignoreEnded);
      const stored = storeToken(env, { url, token: undefined });
      session.note(stored === undefined ? `no context has a token for ${url}` : `removed the token from ${stored}`);
    });

  program
    .add('whoami', 'show the operator that the token belongs to, with its role and tenants', '')
    .does(async (session) => {
      const { actor, expires_at, idle_expires_at } = await session.installation.call('GET /session', {});
      session.printOne({ ...actor, ...(expires_at !== undefined && { expires_at, idle_expires_at }) });
    });
}

function ignoreEnded(error: unknown): void {
  if (!(error instanceof UnauthorizedError)) throw error;
}

/** Shows an address and a code, and waits until the person has confirmed it in a browser. Returns the token. */
async function signInByDevice(url: string, io: CliContext): Promise<string> {
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
