import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['apps/directory/src', 'libs/database/src/directory', 'test/model'];

/** A number that changes with the rules and with the model: other code plays other histories, and the same the same ones. */
export function seedOfSources(): number {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.ts')).sort()) {
      hash.update(file);
      hash.update(readFileSync(join(root, folder, file)));
    }
  }
  return hash.digest().readUInt32BE() % 1_000_000;
}
