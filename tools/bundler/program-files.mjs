import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** Programs that serve the console, of which Vite lists the packages. */
const withConsole = ['gateway', 'standalone'];

/**
 * Plugin: writes `programs.json`, which names the files and the packages of each program, and `licenses.txt` with the
 * licences of all packages. An image contains only what its program needs: `tools/bundler/copy-program.mjs`.
 */
export const programFiles = {
  name: 'program-files',
  generateBundle(_options, bundle) {
    const outputs = Object.values(bundle);
    const serveConsole = outputs.some(({ isEntry, name }) => isEntry && withConsole.includes(name));
    const ofConsole = serveConsole
      ? byName(JSON.parse(readFileSync('apps/console/dist/static/licenses.json', 'utf8')))
      : new Map();
    const programs = outputs.flatMap((output) => {
      if (!output.isEntry) return [];
      const chunks = loadedBy(output, bundle);
      const parts = [...chunks, ...assetsOf(chunks, outputs)];
      const packages = new Map([
        ...byName(parts.flatMap(packagesIn)),
        ...(withConsole.includes(output.name) ? ofConsole : []),
      ]);
      const files = parts.map(({ fileName }) => fileName);
      return [[output.name, { files: files.sort(), packages: [...packages.keys()].sort() }]];
    });
    const packages = new Map([...byName(outputs.flatMap(packagesIn)), ...ofConsole]);
    const write = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
    write('programs.json', `${JSON.stringify(Object.fromEntries(programs), undefined, 2)}\n`);
    write('licenses.txt', [...packages.values()].map(noticeOf).sort().join('\n'));
    // Without it, Node parses a file twice to find out that it is an ES module.
    write('package.json', '{ "type": "module" }\n');
  },
};

const byName = (packages) => new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));

/** Returns the chunks that an entry imports, also at run time. */
function loadedBy(entry, bundle) {
  const chunks = new Set([entry]);
  for (const { imports, dynamicImports } of chunks) {
    for (const fileName of [...imports, ...dynamicImports]) if (bundle[fileName]) chunks.add(bundle[fileName]);
  }
  return [...chunks];
}

function assetsOf(chunks, outputs) {
  const code = chunks.map((chunk) => chunk.code).join('\n');
  return outputs.filter(({ type, fileName }) => type === 'asset' && code.includes(basename(fileName)));
}

const packageFolder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;

/** Returns the packages in a chunk, or of a copied file, in the form of Vite's list. */
function packagesIn({ moduleIds = [], originalFileNames = [] }) {
  const sources = [...moduleIds, ...originalFileNames.map((file) => resolve(file))];
  const folders = new Set(sources.flatMap((id) => packageFolder.exec(id)?.[0] ?? []));
  return [...folders].map((folder) => {
    const { name, version, license: identifier } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\.|-|$)/i.test(file));
    const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    return { name, version, identifier, text };
  });
}

function noticeOf({ name, version, identifier, text }) {
  return `${name} ${version} (${identifier})\n\n${text}\n`;
}
