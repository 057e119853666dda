import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completionScript } from './completion.js';
import { contextsPath, writeContexts } from './contexts.js';
import { createProgram } from './program.js';

const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = await createProgram({ out: sink, err: sink, env: {} }, () => undefined);
const script = completionScript(program, 'bash');

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'idsync-completion-'));
  const path = contextsPath({ HOME: home });
  writeContexts(path, {
    contexts: { production: { url: 'http://a' }, 'pre-prod': { url: 'http://b', tenant: 'ten_1' } },
  });
});

afterAll(() => rmSync(home, { recursive: true }));

const environment = () => ({ PATH: process.env.PATH, HOME: home });

/** Words that bash offers for the last one. */
function offered(...words: string[]): string[] {
  const line = ['idsync', ...words].map((word) => `'${word}'`).join(' ');
  const source = `${script}\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length}\n_idsync\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', source], { encoding: 'utf8', env: environment() }).split('\n').filter(Boolean);
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

  it('offers the values that the option has at this command', () => {
    expect(offered('accounts', 'list', '--status', '')).toEqual(['active', 'disabled', 'locked', 'deleted']);
    expect(offered('jobs', 'list', '-o', 'csv', '--status', 'qu')).toEqual(['queued', 'quarantined']);
    expect(offered('machines', 'list', '--classification', 'ai')).toEqual(['ai_agent']);
    expect(offered('connectors', 'delete', 'HR', '--records', '')).toEqual(['keep', 'retire', 'hand-over']);
  });

  it('offers nothing where the value of an option or an argument is free', () => {
    expect(offered('jobs', 'list', '--connector', '')).toEqual([]);
    expect(offered('jobs', 'list', '--connector', '--')).toEqual([]);
    expect(offered('jobs', 'get', '')).toEqual([]);
    expect(offered('jobs', 'get', '--j')).toEqual(['--json']);
  });

  it('takes no value of an option for a command', () => {
    expect(offered('--tenant', 'jobs', 'users', '')).toEqual(['list']);
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

/** The last word is begun. */
const cases: [line: string[], offered: string[]][] = [
  [
    ['jobs', 'list', '--status', 'qu'],
    ['quarantined', 'queued'],
  ],
  [
    ['accounts', 'list', '-o', 'js'],
    ['json', 'jsonl'],
  ],
  [
    ['context', 'use', 'pr'],
    ['pre-prod', 'production'],
  ],
  [['jobs', 'list', '--context', 'pro'], ['production']],
  [['context', 'remove', 'pro'], ['production']],
  [['jobs', 'list', '--connector', ''], []],
  [['jobs', 'get', ''], []],
  [['jobs', 'l'], ['list']],
  [['connectors', 'tokens', 'r'], ['revoke']],
  [['jobs', 'list', '--output', 'jsonl'], ['jsonl']],
  [
    ['jobs', 'list', '--con'],
    ['--connector', '--context'],
  ],
];

describe('completion in bash of a line', () => {
  it.each([...cases])('offers for %j the words %j', (words, expected) => {
    expect(offered(...words).toSorted()).toEqual(expected);
  });
});

(canRun('fish') ? describe : describe.skip)('completion in fish', () => {
  let file: string;

  beforeAll(() => {
    file = join(home, 'idsync.fish');
    writeFileSync(file, completionScript(program, 'fish'));
  });

  it.each(cases)('offers for %j the words %j', (words, expected) => {
    const source = `source ${file}; complete -C 'idsync ${words.join(' ')}'`;
    const printed = execFileSync('fish', ['--no-config', '-c', source], { encoding: 'utf8', env: environment() });
    const lines = printed.split('\n').filter(Boolean);
    expect(lines.map((line) => line.split('\t')[0]).toSorted()).toEqual(expected);
  });
});

(canRun('zsh') ? describe : describe.skip)('completion in zsh', () => {
  /** Calls the function as zsh does, with functions that print what is offered. */
  function offeredByZsh(words: string[]): string[] {
    const source = `
compdef() { }
_describe() { (($#found)) && print -rl -- "\${found[@]%%:*}" }
compadd() { shift; print -rl -- "$@" }
${completionScript(program, 'zsh')}
words=(idsync ${words.map((word) => `'${word}'`).join(' ')}) CURRENT=${words.length + 1}
_idsync; true`;
    return execFileSync('zsh', ['-f', '-c', source], { encoding: 'utf8', env: environment() })
      .split('\n')
      .filter(Boolean);
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
