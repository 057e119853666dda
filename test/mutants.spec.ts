import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Mutant {
  id: string;
  line: number;
  operator: string;
  was: string;
  becomes: string;
}

const script = `
  import { readFileSync } from 'node:fs';
  import { instrument } from './tools/mutants/instrument.mjs';
  import { findMutants } from './tools/mutants/operators.mjs';
  const source = readFileSync(0, 'utf8');
  const mutants = findMutants('a.ts', source);
  process.stdout.write(JSON.stringify({ mutants, text: instrument(source, mutants) }));`;

/** Returns the mutants of a source, and the source with all of them. */
function mutate(source: string): { mutants: Mutant[]; text: string } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: source,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const becomes = (source: string) => mutate(source).mutants.map(({ operator, becomes }) => `${operator}: ${becomes}`);

describe('the mutants of a source', () => {
  it.each([
    ['a < b;', ['bound: a <= b']],
    ['a === b;', ['comparison: a !== b']],
    ['a && b;', ['logical: (a) || (b)']],
    ['a ?? f(x);', ['default: a', 'default: f(x)']],
    ['list.some(f);', ['statement: ', 'opposite: list.every(f)']],
    ['f(from, to);', ['statement: ', 'arguments: f(to, from)']],
    ['async () => { await f(); };', ['await: f()', 'statement: ']],
    ['() => { if (a) return; b = c; };', ['guard: false', 'statement: ']],
    ['const x = a ? b : c;', ['condition: !(a)']],
    ['const x = list.sort(f);', ['removed: list']],
    ['const x = 2 * 3;', ['arithmetic: 2 / 3', 'constant: 3']],
    ['const x = /^a/;', ['anchor: /a/']],
    [
      'const x = m.find(E, { where: { tenantId, id, kind } });',
      ['where: { tenantId, kind }', 'where: { tenantId, id }'],
    ],
  ])('are changes of meaning: %s', (source, expected) => {
    expect(becomes(source)).toEqual(expected);
  });

  it('remove parts of SQL conditions but keep their parameters, and turn orders around', () => {
    const sql = (where: string) => `'select id from t where tenant_id = $1 and ${where}'`;
    expect(becomes(`const x = ${sql('kind = $2 and at >= $3 order by at desc')};`)).toEqual([
      `where: ${sql('(true or (kind = $2)) and at >= $3 order by at desc')}`,
      `where: ${sql('kind = $2 and (true or (at >= $3)) order by at desc')}`,
      `bound: ${sql('kind = $2 and at > $3 order by at desc')}`,
      `order: ${sql('kind = $2 and at >= $3 order by at')}`,
    ]);
  });

  it.each([
    ['types, imports and decorators', "import a from 'a'; @D(1) class A { b?: 1 | 2; }"],
    ['logs and metrics', "log.warn({ err }, 'failed'); metrics.jobs.inc();"],
    ['the sign of a tie-break', 'const x = (a, b) => (a < b ? -1 : 1);'],
  ])('leave %s alone', (_what, source) => {
    expect(mutate(source).mutants.filter(({ operator }) => operator !== 'condition')).toEqual([]);
  });

  it('keep their ids when lines are moved', () => {
    const ids = (source: string) => mutate(source).mutants.map(({ id }) => id);
    const source = 'a < b;\na < b;\n';
    expect(ids(`\n\n  ${source}`)).toEqual(ids(source));
    expect(new Set(ids(source)).size).toBe(2);
  });

  it('are all in one text, one active at a time, also inside each other', () => {
    const { mutants, text } = mutate('const x = (a < b && b < c) ? 10 : 20;');
    const run = new Function(
      'a',
      'b',
      'c',
      'idsyncMutant',
      `globalThis.idsyncMutant = idsyncMutant; ${text} return x;`,
    );
    const results = (active?: string) => run(1, 2, 2, (id: string) => id === active);
    try {
      expect(results()).toBe(20);
      const changed = mutants.filter(({ id }) => results(id) !== 20).map(({ operator, was }) => `${operator} ${was}`);
      expect(changed).toEqual(['condition a < b && b < c', 'logical a < b && b < c', 'bound b < c', 'constant 20']);
    } finally {
      Reflect.deleteProperty(globalThis, 'idsyncMutant');
    }
  });
});
