// Module hooks that let Node 20 run the TypeScript of the tests, because Jest cannot clean up when it is interrupted.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' };
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { swcrc: false, jsc });
  return { format: 'module', source: code, shortCircuit: true };
}
