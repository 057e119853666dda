import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const examples = 'test/setup/shared-modules/examples';

interface Run {
  output: string;
  files: { name: string; tests: { title: string; status: string }[] }[];
}

/** Runs example files in one process, in the given order. */
function run(...names: string[]): Run {
  const file = join(mkdtempSync(join(tmpdir(), 'idsync-shared-modules-')), 'results.json');
  const paths = names.map((name) => `${examples}/${name}.ts`);
  const options = ['--config', `${examples}/jest.config.mjs`, '-i', '--json', '--outputFile', file, '--runTestsByPath'];
  const env = { ...process.env, FORCE_COLOR: '0' };
  const { stderr } = spawnSync('node_modules/.bin/jest', [...options, ...paths], { encoding: 'utf8', env });
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const files = testResults.map(
    ({ name, assertionResults }: { name: string; assertionResults: Run['files'][0]['tests'] }) => ({
      name: name.split('/').at(-1),
      tests: assertionResults.map(({ title, status }) => ({ title, status })),
    }),
  );
  return { output: stderr, files };
}

describe('test files in one process', () => {
  it.each([
    ['first', 'second'],
    ['second', 'first'],
  ])('%s before %s: both share their modules, but no environment, timers, spies or timeouts', (one, other) => {
    const { files } = run(one, other);
    const expected = (place: number) => [
      { title: 'shares modules with earlier files, and nothing else', status: 'passed' },
      { title: 'leaves traces', status: 'passed' },
      { title: `is file ${place} of its process`, status: 'passed' },
    ];
    expect(files).toEqual([
      { name: `${one}.ts`, tests: expected(1) },
      { name: `${other}.ts`, tests: expected(2) },
    ]);
  });

  it('fails a test that rejects, hangs or leaves a rejection unhandled, names the line of the source, and continues', () => {
    const { files, output } = run('failing', 'first');
    expect(files.map(({ name, tests }) => [name, tests.map(({ status }) => status)])).toEqual([
      ['failing.ts', ['failed', 'failed', 'failed']],
      ['first.ts', ['passed', 'passed', 'passed']],
    ]);
    expect(output).toMatch(/failing\.ts:9:/);
    expect(output).toContain('Exceeded timeout of 50 ms');
    expect(output).toContain('awaited by no code');
  });
});
