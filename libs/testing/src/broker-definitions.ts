import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rabbitmqctl } from './rabbitmqctl.js';

export interface Definitions {
  vhosts?: { name: string }[];
  users?: { name: string; password: string; tags: string }[];
  permissions: { user: string; vhost: string; configure: string; write: string; read: string }[];
}

/** Where a test run keeps the definitions until it ends. */
const folder = () => join(tmpdir(), `idsync-definitions-${process.env.IDSYNC_TEST_RUN ?? process.pid}`);

/** Creates all that the definitions contain with one command. */
export async function importDefinitions(name: string, definitions: Definitions): Promise<void> {
  await mkdir(folder(), { recursive: true });
  const file = join(folder(), `${name}.json`);
  await writeFile(file, JSON.stringify(definitions));
  await rabbitmqctl('import_definitions', file);
}

/** Takes the definitions that the processes of this test run have imported. */
export async function takeImported(): Promise<Definitions[]> {
  const files = await readdir(folder()).catch(() => []);
  const texts = await Promise.all(files.map((file) => readFile(join(folder(), file), 'utf8')));
  await rm(folder(), { recursive: true, force: true });
  return texts.map((text) => JSON.parse(text) as Definitions);
}
