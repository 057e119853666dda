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
let port;

export async function initialize(data) {
  port = data.port;
  const transformer = await createScriptTransformer(data.config);
  const options = { ...data.coverage, ...syntax };
  compile = (file) => transformer.transformAsync(file, options, readFileSync(file, 'utf8'));
}

export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
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

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code, sourceMapPath } = await compile(fileURLToPath(url));
  if (sourceMapPath) port.postMessage({ url, map: sourceMapPath });
  return { format: 'module', source: code, shortCircuit: true };
}
