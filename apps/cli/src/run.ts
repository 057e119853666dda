import { type Command, CommanderError } from 'commander';
import { BadValueError, CliError } from './cli-error.js';
import { commandsIn } from './load-commands.js';
import { nameOptions } from './name-options.js';
import { createProgram } from './program.js';
import type { CliContext } from './session.js';
import { printable } from './table.js';

const usageExitCode = 2;

/** Runs one command line and returns its exit code. */
export async function run(argumentsList: string[], io: CliContext): Promise<number> {
  let exitCode = 0;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = await createProgram(io, exit, commandsIn(argumentsList));
  let running: Command = program;
  program.hook('preAction', (_program, command) => {
    running = command;
  });
  try {
    await program.parseAsync(argumentsList, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its help or its error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    const text = textOf(error as Error, running);
    for (const line of text.split('\n')) io.err.write(`idsync: ${printable(line)}\n`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}

function textOf(error: Error, command: Command): string {
  if (error instanceof BadValueError) return nameOptions(error.message, command);
  return error instanceof CliError ? error.message : String(error.stack);
}
