import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contextsPath, writeContexts } from './contexts.js';
import { run } from './run.js';

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'idsync-completion-'));
  writeContexts(contextsPath({ HOME: home }), {
    contexts: { production: { url: 'http://a' }, 'pre-prod': { url: 'http://b', tenant: 'ten_1' } },
  });
  mkdirSync(join(home, 'bin'));
  // The shells call this in place of the program, whose output it prints.
  const program = '#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/words"\ncat "$HOME/printed"\n';
  writeFileSync(join(home, 'bin/idsync'), program, { mode: 0o755 });
});

afterAll(() => rmSync(home, { recursive: true }));

async function idsync(...words: string[]): Promise<string> {
  let written = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  expect(await run(words, { out, err: out, env: { HOME: home } })).toBe(0);
  return written;
}

/** Lines that a shell prints, whose function calls the program with these words. */
async function linesOf(shell: 'bash' | 'zsh' | 'fish', words: string[], source: (script: string) => string) {
  writeFileSync(join(home, 'printed'), await idsync('completion', shell, '--', ...words));
  const script = source(await idsync('completion', shell));
  const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home };
  const flags = { bash: [], zsh: ['-f'], fish: ['--no-config'] }[shell];
  const printed = execFileSync(shell, [...flags, '-c', script], { encoding: 'utf8', env });
  expect(readFileSync(join(home, 'words'), 'utf8').split('\n').slice(0, -1)).toEqual([
    'completion',
    shell,
    '--',
    ...words,
  ]);
  return printed.split('\n').filter(Boolean);
}

/** Words that bash offers for the last one. */
function offered(...words: string[]): Promise<string[]> {
  const line = ['idsync', ...words].map((word) => `'${word}'`).join(' ');
  return linesOf('bash', words, (script) => {
    return `${script}\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length}\n_idsync\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  });
}

describe('completion in bash', () => {
  it('offers the commands', async () => {
    expect(await offered('co')).toEqual(['connectors', 'context', 'completion']);
  });

  it('offers the commands of a group, also after options', async () => {
    expect(await offered('jobs', 'l')).toEqual(['list']);
    expect(await offered('--tenant', 'ten_1', 'connectors', 'tokens', 'r')).toEqual(['revoke']);
  });

  it('offers the options of a command and of the program', async () => {
    expect(await offered('jobs', 'list', '--')).toEqual(expect.arrayContaining(['--connector', '--output', '--help']));
    expect(await offered('jobs', 'list', '--')).not.toContain('--preview');
  });

  it('offers the values of arguments and options', async () => {
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(await offered('jobs', 'list', '--output', 'j')).toEqual(['json', 'jsonl']);
    expect(await offered('sync', 'HR', '--mode', '')).toEqual(['full', 'changes', 'auto']);
    expect(await offered('service-tokens', 'create', 'ci', '--role', 'a')).toEqual(['auditor', 'admin']);
  });

  it('offers the values that the option has at this command', async () => {
    expect(await offered('accounts', 'list', '--status', '')).toEqual(['active', 'disabled', 'locked', 'deleted']);
    expect(await offered('jobs', 'list', '-o', 'csv', '--status', 'qu')).toEqual(['queued', 'quarantined']);
    expect(await offered('machines', 'list', '--classification', 'ai')).toEqual(['ai_agent']);
    expect(await offered('connectors', 'delete', 'HR', '--records', '')).toEqual(['keep', 'retire', 'hand-over']);
  });

  it('offers nothing where the value of an option or an argument is free', async () => {
    expect(await offered('jobs', 'list', '--connector', '')).toEqual([]);
    expect(await offered('jobs', 'list', '--connector', '--')).toEqual([]);
    expect(await offered('jobs', 'get', '')).toEqual([]);
    expect(await offered('jobs', 'get', '--j')).toEqual(['--json']);
  });

  it('takes no value of an option for a command', async () => {
    expect(await offered('--tenant', 'jobs', 'users', '')).toEqual(['list']);
  });

  it('offers files for options that read one', async () => {
    expect(await offered('rules', 'set', '--file', 'packa')).toContain('package.json');
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
  it.each([...cases])('offers for %j the words %j', async (words, expected) => {
    expect((await offered(...words)).toSorted()).toEqual(expected);
  });
});

(canRun('fish') ? describe : describe.skip)('completion in fish', () => {
  it.each(cases)('offers for %j the words %j', async (words, expected) => {
    const lines = await linesOf('fish', words, (script) => `${script}\ncomplete -C 'idsync ${words.join(' ')}'`);
    expect(lines.map((line) => line.split('\t')[0]).toSorted()).toEqual(expected);
  });
});

(canRun('zsh') ? describe : describe.skip)('completion in zsh', () => {
  it.each(cases)('offers for %j the words %j', async (words, expected) => {
    // Calls the function as zsh does, with functions that print what is offered.
    const lines = await linesOf(
      'zsh',
      words,
      (script) => `
compdef() { }
_describe() { (($#found)) && print -rl -- "\${found[@]%%:*}" }
${script}
words=(idsync ${words.map((word) => `'${word}'`).join(' ')}) CURRENT=${words.length + 1}
_idsync; true`,
    );
    expect(lines.toSorted()).toEqual(expected);
  });
});
