import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { commands, commandsIn } from './load-commands.js';
import { createProgram } from './program.js';

const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
const all = Object.keys(commands);

describe('the commands of a program', () => {
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
