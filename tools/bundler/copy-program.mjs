// `node tools/bundler/copy-program.mjs gateway /out packages.cdx.json`: copies the files of one program. The third
// argument is the output of `npm sbom`, of which the copy has what is in the program.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [name, folder, listing] = process.argv.slice(2);
const bundle = resolve(import.meta.dirname, '../..', name === 'idsync' ? 'apps/cli/bundle' : 'bundle');
const programs = JSON.parse(readFileSync(join(bundle, 'programs.json'), 'utf8'));
if (!programs[name] || !folder || !listing) {
  throw new Error(`usage: copy-program.mjs <idsync|${Object.keys(programs).join('|')}> <folder> <output of npm sbom>`);
}
const { files, packages } = programs[name];

for (const file of [...files, 'package.json', 'licenses.txt']) {
  for (const each of [file, `${file}.map`]) {
    if (existsSync(join(bundle, each))) cpSync(join(bundle, each), join(folder, each));
  }
}
// The console is served from files, so no chunk imports it.
if (name === 'gateway') cpSync(join(bundle, 'console'), join(folder, 'console'), { recursive: true });
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bundledOnly(), undefined, 2)}\n`);

function bundledOnly() {
  const all = JSON.parse(readFileSync(listing, 'utf8'));
  const components = all.components.filter((one) => packages.includes(`${fullName(one)}@${one.version}`));
  const refs = new Set([all.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  return { ...all, components, dependencies };
}

function fullName({ group, name }) {
  return group ? `${group}/${name}` : name;
}
