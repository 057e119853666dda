import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const apps = join(import.meta.dirname, '../apps');
const sources = readdirSync(apps, { recursive: true, encoding: 'utf8' }).filter((file) => /^[^/]+\/src\//.test(file));
const consumers = sources.filter((file) => file.endsWith('.consumer.ts'));

/** Returns the classes that a source file of an app exports. */
async function classesOf(file: string): Promise<object[]> {
  const exported: Record<string, unknown> = await import(join(apps, file));
  return Object.values(exported).filter((each): each is object => typeof each === 'function');
}

/** Returns the controllers that the modules of an app list. */
async function controllersOf(app: string): Promise<unknown[]> {
  const files = sources.filter((file) => file.startsWith(`${app}/`) && file.endsWith('.module.ts'));
  const modules = (await Promise.all(files.map(classesOf))).flat();
  return modules.flatMap((each) => Reflect.getMetadata('controllers', each) ?? []);
}

describe('a consumer', () => {
  it.each(consumers)('is in the controllers of a module of its service: %s', async (file) => {
    const classes = await classesOf(file);
    expect(classes).not.toEqual([]);
    expect(await controllersOf(file.split('/')[0] ?? '')).toEqual(expect.arrayContaining(classes));
  });
});
