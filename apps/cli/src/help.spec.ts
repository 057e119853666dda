import { readdirSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { commands, commandsIn, createProgram } from './program.js';

const sink = new Writable({ write: (_chunk, _encoding, done) => done() });

describe('every command', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

  interface Entry {
    name: string;
    command: Command;
  }

  /** The commands that do something, with their full names. */
  function leaves(command: Command, prefix = ''): Entry[] {
    return command.commands.flatMap((child) => {
      const name = `${prefix}${child.name()}`;
      return child.commands.length > 0 ? leaves(child, `${name} `) : [{ name, command: child }];
    });
  }

  function helpOf(command: Command): string {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part) });
    command.outputHelp();
    return text;
  }

  let program: Command;
  let all: Entry[];

  beforeAll(async () => {
    program = await createProgram({ out: sink, err: sink, env: {} }, () => undefined);
    all = leaves(program);
  });

  it('has help with an example', () => {
    const hasExample = ({ name, command }: Entry) =>
      new RegExp(`\\nExamples?(?:[ :,].*)?:\\n(?:.*\\n)*? *\\$ .*idsync ${name}`).test(helpOf(command));
    expect(all.filter((entry) => !hasExample(entry)).map(({ name }) => name)).toEqual([]);
  });

  it('has no option with the name of a global option, which would get its value', () => {
    const flagsOf = (command: Command) =>
      command.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
    const shared = new Set(flagsOf(program));
    const clashes = all.flatMap(({ name, command }) =>
      flagsOf(command).flatMap((flag) => (shared.has(flag) ? [`${name} ${flag}`] : [])),
    );
    expect(clashes).toEqual([]);
  });

  it('stands in docs/cli.md with its description', () => {
    const missing = all
      .map(({ name, command }) => `| \`${name}\` | ${command.description()} |`)
      .filter((row) => !page.includes(row));
    expect(missing).toEqual([]);
  });

  it('that a screen of the console names exists', () => {
    const screens = new URL('../../console/src/screens/', import.meta.url);
    const files = readdirSync(screens, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
    const named = files.flatMap((file) =>
      [...readFileSync(new URL(file, screens), 'utf8').matchAll(/['"`>]idsync ([a-z][a-z -]+)/g)].map(
        ([, words]) => words,
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((words) => !all.some(({ name }) => `${words} `.startsWith(`${name} `)))).toEqual([]);
  });

  it('of docs/cli.md exists', () => {
    const tables = page.split('| command | does |').slice(1);
    const named = tables.flatMap((text) => {
      const [rows = ''] = text.split('\n\n');
      return [...rows.matchAll(/^\| `([^`]+)` \| /gm)].map(([, name]) => name);
    });
    expect(named.filter((name) => !all.some((each) => each.name === name))).toEqual([]);
    expect(named.length).toBe(all.length);
  });
});

describe('the commands of a program', () => {
  const all = Object.keys(commands);

  it.each(all)('are loaded by their name: %s', async (name) => {
    const program = await createProgram({ out: sink, err: sink, env: {} }, () => undefined, [name]);
    expect(program.commands.map((command) => command.name())).toContain(name);
  });

  it.each([
    ['--tenant find identities list', ['find', 'identities']],
    ['identities list', ['identities']],
    ['jobs list -o csv', ['jobs']],
    ['completion bash -- jobs l', ['jobs', 'completion']],
  ])('are those that the arguments name: %s', (given, expected) => {
    expect(commandsIn(given.split(' '))).toEqual(expected);
  });

  it.each(['--version', '-V', '--json --version'])('are none for the version: %s', (given) => {
    expect(commandsIn(given.split(' '))).toEqual([]);
  });

  it.each(['', '--help', 'identites list', 'help jobs', 'completion bash', 'completion bash -- find'])(
    'are all for "%s"',
    (given) => {
      expect(commandsIn(given.split(' '))).toEqual(all);
    },
  );
});
