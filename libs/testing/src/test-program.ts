import { fileURLToPath } from 'node:url';

/** Returns the bundle of a program that only tests start. `test/setup/programs.config.mjs` lists them. */
export function testProgram(name: string): string {
  return fileURLToPath(new URL(`../../../test/dist/${name}.js`, import.meta.url));
}
