import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command on the broker of the machine; each starts an Erlang machine, for 0.7 s of CPU. */
export async function rabbitmqctl(...words: string[]): Promise<string> {
  const { stdout } = await run('rabbitmqctl', ['--quiet', ...words], { timeout: 120_000 });
  return stdout;
}

/** Deletes several with one command. */
export async function deleteUsers(names: readonly string[]): Promise<void> {
  await evaluate(`[rabbit_auth_backend_internal:delete_user(U, <<"idsync">>) || U <- ${listOf(names)}]`);
}

/** Deletes several with one command. One that no longer exists is not an error. */
export async function deleteVhosts(names: readonly string[]): Promise<void> {
  await evaluate(`[rabbit_vhost:delete(V, <<"idsync">>) || V <- ${listOf(names)}, rabbit_vhost:exists(V)]`);
}

const listOf = (names: readonly string[]) => `[${names.map((name) => `<<"${name}">>`).join(', ')}]`;

async function evaluate(expression: string): Promise<void> {
  await rabbitmqctl('eval', `${expression}.`);
}
