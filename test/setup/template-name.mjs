import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const libs = new URL('../../libs/', import.meta.url);

/**
 * Returns the name of the template database: a hash of every compiled file that a migration imports, so that each
 * schema has its own.
 */
export function templateName() {
  const hash = createHash('sha256');
  for (const file of reached(new URL('database/dist/schema/migrate.js', libs)).sort()) {
    hash.update(file.slice(libs.href.length)).update(readFileSync(new URL(file)));
  }
  return `idsync_template_${hash.digest('hex').slice(0, 16)}`;
}

function reached(entry) {
  const files = new Set([entry.href]);
  for (const file of files) {
    for (const [, specifier] of readFileSync(new URL(file), 'utf8').matchAll(/\b(?:from|import) '([^']+)'/g)) {
      const [, lib, folder = ''] = /^@idsync\/([\w-]+)(\/\w+)?$/.exec(specifier) ?? [];
      if (lib) files.add(new URL(`${lib}/dist${folder}/index.js`, libs).href);
      else if (specifier.startsWith('.')) files.add(new URL(specifier, file).href);
    }
  }
  return [...files];
}
