// Creates and deletes virtual hosts several at a time, because each command of rabbitmqctl costs more than a virtual host.
import { randomBytes } from 'node:crypto';
import { importDefinitions, takeImported } from './broker-definitions.js';
import { deleteVhosts } from './rabbitmqctl.js';

const atATime = 4;

const unused: string[] = [];
const givenBack: string[] = [];
let creating: Promise<void> | undefined;

/** Returns the name of an empty virtual host on which the user has all permissions. */
export async function takeVhost(user: string): Promise<string> {
  for (;;) {
    const name = unused.pop();
    if (name) return name;
    creating ??= create(user).finally(() => {
      creating = undefined;
    });
    await creating;
  }
}

/** Deletes a virtual host: at once outside of a test run, otherwise together with others. */
export async function giveBackVhost(name: string): Promise<void> {
  givenBack.push(name);
  const isRun = process.env.IDSYNC_TEST_RUN !== undefined;
  if (!isRun || givenBack.length >= atATime) await deleteVhosts(givenBack.splice(0));
  if (!isRun) await takeImported();
}

/** Deletes the virtual hosts that the processes of this test run have created and not yet deleted. */
export async function removeVhostsOfRun(): Promise<void> {
  const imported = await takeImported();
  const vhosts = imported.flatMap((definitions) => definitions.vhosts ?? []);
  if (vhosts.length > 0) await deleteVhosts(vhosts.map(({ name }) => name));
}

async function create(user: string): Promise<void> {
  const count = process.env.IDSYNC_TEST_RUN ? atATime : 1;
  const names = Array.from({ length: count }, () => `idsync-test-${randomBytes(6).toString('hex')}`);
  const permissions = names.map((vhost) => ({ user, vhost, configure: '.*', write: '.*', read: '.*' }));
  await importDefinitions(`vhosts-${names[0]}`, { vhosts: names.map((name) => ({ name })), permissions });
  unused.push(...names);
}
