// Creates and deletes virtual hosts several at a time, because each command of rabbitmqctl costs more than a virtual host.
// The processes of a test run share the stock by files named after virtual hosts: deleting such a file takes it.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importDefinitions, takeImported } from './broker-definitions.js';
import { deleteVhosts } from './rabbitmqctl.js';

const atATime = 4;

const stock = (part: '' | 'unused' | 'given-back') =>
  join(tmpdir(), `idsync-vhosts-${process.env.IDSYNC_TEST_RUN ?? process.pid}`, part);

/** Returns the name of an empty virtual host on which the user has all permissions. */
export async function takeVhost(user: string): Promise<string> {
  if (process.env.IDSYNC_TEST_RUN === undefined) return (await create(user, 1))[0] ?? '';
  for (;;) {
    const [name] = await take('unused', 1);
    if (name !== undefined) return name;
    await put('unused', await create(user, atATime));
  }
}

/** Deletes a virtual host: at once outside of a test run, otherwise together with others. */
export async function giveBackVhost(name: string): Promise<void> {
  if (process.env.IDSYNC_TEST_RUN === undefined) {
    await deleteVhosts([name]);
    await takeImported();
    return;
  }
  await put('given-back', [name]);
  if ((await list('given-back')).length < atATime) return;
  const names = await take('given-back', atATime);
  if (names.length > 0) await deleteVhosts(names);
}

/** Deletes the virtual hosts that the processes of this test run have created and not yet deleted. */
export async function removeVhostsOfRun(): Promise<void> {
  const imported = await takeImported();
  await rm(stock(''), { recursive: true, force: true });
  const vhosts = imported.flatMap((definitions) => definitions.vhosts ?? []);
  if (vhosts.length > 0) await deleteVhosts(vhosts.map(({ name }) => name));
}

async function create(user: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => `idsync-test-${randomBytes(6).toString('hex')}`);
  const permissions = names.map((vhost) => ({ user, vhost, configure: '.*', write: '.*', read: '.*' }));
  await importDefinitions(`vhosts-${names[0]}`, { vhosts: names.map((name) => ({ name })), permissions });
  return names;
}

async function put(part: 'unused' | 'given-back', names: readonly string[]): Promise<void> {
  await mkdir(stock(part), { recursive: true });
  await Promise.all(names.map((name) => writeFile(join(stock(part), name), '')));
}

async function list(part: 'unused' | 'given-back'): Promise<string[]> {
  return await readdir(stock(part)).catch(() => []);
}

/** Takes up to `count` names that no other process has taken. */
async function take(part: 'unused' | 'given-back', count: number): Promise<string[]> {
  const taken: string[] = [];
  for (const name of await list(part)) {
    if (taken.length === count) break;
    await unlink(join(stock(part), name)).then(
      () => taken.push(name),
      () => undefined,
    );
  }
  return taken;
}
