import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completionScript } from './completion.js';
import { createProgram } from './program.js';

const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = await createProgram({ out: sink, err: sink, env: {} }, () => undefined);
const script = completionScript(program, 'bash');

/** Words that bash offers for the last one. */
function offered(...words: string[]): string[] {
  const line = ['idsync', ...words].map((word) => `'${word}'`).join(' ');
  const source = `${script}\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length}\n_idsync\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', source], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('completion in bash', () => {
  it('offers the commands', () => {
    expect(offered('co')).toEqual(['connectors', 'context', 'completion']);
  });

  it('offers the commands of a group, also after options', () => {
    expect(offered('jobs', 'l')).toEqual(['list']);
    expect(offered('--tenant', 'ten_1', 'connectors', 'tokens', 'r')).toEqual(['revoke']);
  });

  it('offers the options of a command and of the program', () => {
    expect(offered('jobs', 'list', '--')).toEqual(expect.arrayContaining(['--connector', '--output', '--help']));
    expect(offered('jobs', 'list', '--')).not.toContain('--preview');
  });

  it('offers the values of arguments and options', () => {
    expect(offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(offered('jobs', 'list', '--output', 'j')).toEqual(['json', 'jsonl']);
    expect(offered('sync', 'HR', '--mode', '')).toEqual(['full', 'changes', 'auto']);
    expect(offered('service-tokens', 'create', 'ci', '--role', 'a')).toEqual(['auditor', 'admin']);
  });

  it('offers files for options that read one', () => {
    expect(offered('rules', 'set', '--file', 'packa')).toContain('package.json');
  });
});

const canRun = (shell: string) => {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  if (!isThere) process.stdout.write(`Skipped: completion in ${shell}: ${shell} is not installed\n`);
  return isThere;
};

const cases: [line: string[], offered: string[]][] = [
  [['jobs', 'l'], ['list']],
  [['connectors', 'tokens', 'r'], ['revoke']],
  [['jobs', 'list', '--output', 'jsonl'], ['jsonl']],
  [
    ['jobs', 'list', '--con'],
    ['--connector', '--context'],
  ],
];

(canRun('fish') ? describe : describe.skip)('completion in fish', () => {
  let directory: string;
  let file: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'idsync-completion-'));
    file = join(directory, 'idsync.fish');
    writeFileSync(file, completionScript(program, 'fish'));
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(cases)('offers for %j the words %j', (words, expected) => {
    const source = `source ${file}; complete -C 'idsync ${words.join(' ')}'`;
    const env = { PATH: process.env.PATH, HOME: directory };
    const lines = execFileSync('fish', ['--no-config', '-c', source], { encoding: 'utf8', env }).trim().split('\n');
    expect(lines.map((line) => line.split('\t')[0]).toSorted()).toEqual(expected);
  });
});

(canRun('zsh') ? describe : describe.skip)('completion in zsh', () => {
  /** Calls the function as zsh does, with functions that print what is offered. */
  function offeredByZsh(words: string[]): string[] {
    const source = `
compdef() { }
_describe() { print -rl -- "\${found[@]%%:*}" }
compadd() { shift; print -rl -- "$@" }
${completionScript(program, 'zsh')}
words=(idsync ${words.join(' ')}) CURRENT=${words.length + 1}
_idsync`;
    return execFileSync('zsh', ['-f', '-c', source], { encoding: 'utf8' }).trim().split('\n');
  }

  it.each(cases)('offers for %j the words %j', (words, expected) => {
    const begun = words.at(-1) ?? '';
    expect(
      offeredByZsh(words)
        .filter((word) => word.startsWith(begun))
        .toSorted(),
    ).toEqual(expected);
  });
});
