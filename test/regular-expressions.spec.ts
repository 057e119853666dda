import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const tool = fileURLToPath(new URL('../tools/check-regular-expressions.mjs', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'idsync-regular-expressions-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function check(source: string): { status: number | null; found: string } {
  const file = join(folder, 'source.ts');
  writeFileSync(file, source);
  const { status, stderr } = spawnSync(process.execPath, [tool, file], { encoding: 'utf8', timeout: 60_000 });
  return { status, found: stderr.trim() };
}

describe('the check of regular expressions', () => {
  it.each([
    ['restarts at each letter', String.raw`export const url = /(\w+:\/\/)[^\s/@]*@/g;`, 'quadratic'],
    ['has two quantifiers for the same characters', 'export const pair = /^a*a*$/;', 'quadratic'],
    ['nests quantifiers', 'class A { b = /^(?:a+)+$/; }', 'exponential'],
    ['is built from a string', "export const made = new RegExp('^a*a*$');", 'quadratic'],
    ['is built from a template', `export const made = (n: string) => RegExp(\`^(?:a+|\${n})+$\`);`, 'exponential'],
    ['is built from a variable', 'export const made = (text: string) => new RegExp(text);', 'cannot be checked'],
  ])('rejects one that %s', (_what, source, reason) => {
    const { status, found } = check(source);
    expect({ status, found }).toEqual({ status: 1, found: expect.stringContaining(reason) });
  });

  it('accepts expressions that take linear time', () => {
    expect(check(String.raw`export const url = /(?<=\w:\/\/)[^\s/]*@/g; new RegExp('^[a-z]+\\d*$', 'u');`)).toEqual({
      status: 0,
      found: '',
    });
  });
});
