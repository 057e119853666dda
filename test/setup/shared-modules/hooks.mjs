// Module hooks of Node that compile TypeScript with the transformers and the cache of Jest, and resolve the names of the
// packages of this repository to their sources.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createScriptTransformer } from '@jest/transform';
import { sourceNames } from '../source-names.mjs';

/** Jest leaves frames with such a path out of stack traces. */
const globals = new URL('globals.mjs#jest/build/', import.meta.url).href;
const root = new URL('../../../', import.meta.url);
const syntax = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};
let compile;
let reportMap;

/** Node calls it if the hooks run in another thread. */
export function initialize({ config, coverage, port }) {
  return prepare({ config, coverage, report: (url, map) => port.postMessage({ url, map }) });
}

/** `report` is called with the URL and the path of the source map of each compiled module. */
export async function prepare({ config, coverage, report }) {
  reportMap = report;
  const transformer = await createScriptTransformer(config);
  const options = { ...coverage, ...syntax };
  compile = (file) => transformer.transform(file, options, readFileSync(file, 'utf8'));
}

export function resolve(specifier, context, next) {
  if (specifier === '@jest/globals' && context.conditions.includes('import'))
    return { url: globals, shortCircuit: true };
  // Code of dist and of installed packages is loaded as it is.
  if (!context.parentURL?.endsWith('.ts')) return next(specifier, context);
  return next(mapped(specifier, context.parentURL), context);
}

function mapped(specifier, parent) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier)) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), parent);
    return existsSync(source) ? source.href : specifier;
  }
  const [name, path] = sourceNames.find(([pattern]) => pattern.test(specifier)) ?? [];
  return name ? new URL(specifier.replace(name, path), root).href : specifier;
}

export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code, sourceMapPath } = compile(fileURLToPath(url));
  if (sourceMapPath) reportMap(url, sourceMapPath);
  return { format: 'module', source: code, shortCircuit: true };
}
