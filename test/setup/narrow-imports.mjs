// Rewrites imports from a package of this repository, such as `import { eventId } from '@idsync/contracts'`, to imports
// from the file that declares each name. A test then loads, and depends on, only the files that it uses: a pure test
// does not load NestJS and TypeORM because a package has both pure and other files.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const libs = fileURLToPath(new URL('../../libs', import.meta.url));
const imports = /^(import|export) (type )?\{([^}]*)\} from '(@idsync\/[\w-]+(?:\/\w+)?)';/gm;
const reexports = /^export (type )?(?:\{([^}]*)\}|\*(?: as (\w+))?) from '(\.[^']+)\.js';/gm;
const declarations =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|function\*?|type|interface|enum) (\w+)/gm;

/** The files that declare the names of each package, by the name of the package. */
const packages = new Map(
  readdirSync(libs).flatMap((lib) => [
    [`@idsync/${lib}`, `${libs}/${lib}/src/index.ts`],
    ...(lib === 'database' ? subpathsOf(lib) : []),
  ]),
);

function subpathsOf(lib) {
  const folders = readdirSync(`${libs}/${lib}/src`, { withFileTypes: true }).filter((each) => each.isDirectory());
  return folders.map(({ name }) => [`@idsync/${lib}/${name}`, `${libs}/${lib}/src/${name}/index.ts`]);
}

const exportsOf = remember((file) => {
  const code = readFileSync(file, 'utf8');
  const places = new Map([...code.matchAll(declarations)].map(([, name]) => [name, { file, name }]));
  for (const [, , names, namespace, path] of code.matchAll(reexports)) {
    const target = `${resolve(dirname(file), path)}.ts`;
    if (namespace) places.set(namespace, { file: target, name: '*' });
    else if (names === undefined) for (const [name, place] of exportsOf(target)) places.set(name, place);
    else for (const { name, as } of specifiers(names)) places.set(as, exportsOf(target).get(name));
  }
  return places;
});

function remember(compute) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}

/** Reads `type One, two as three`. */
function specifiers(text) {
  const each = text.split(',').map((part) => part.replace(/\/\/.*/g, '').trim());
  return each.filter(Boolean).map((part) => {
    const [, type, name, as = name] = /^(type )?(\w+)(?: as (\w+))?$/.exec(part);
    return { type: type ?? '', name, as };
  });
}

/** Keeps the number of lines, so that source maps and stack traces stay correct. */
export function narrowImports(code) {
  return code.replace(imports, (statement, keyword, isType, names, from) => {
    const index = packages.get(from);
    if (isType || !index || !existsSync(index)) return statement;
    const lines = specifiers(names).map(({ type, name, as }) => {
      const place = exportsOf(index).get(name);
      if (!place) return `${keyword} { ${type}${name} as ${as} } from '${from}';`;
      if (place.name === '*') return `${keyword} * as ${as} from '${place.file}';`;
      return `${keyword} { ${type}${place.name} as ${as} } from '${place.file}';`;
    });
    return lines.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
  });
}

/** Changes when a name moves to another file, because rewritten code then is outdated. */
export function packagesHash() {
  const places = [...packages].map(([name, index]) => [name, existsSync(index) ? [...exportsOf(index)] : []]);
  return createHash('sha1').update(JSON.stringify(places)).digest('hex');
}
