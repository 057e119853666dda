import { CommanderError } from 'commander';
import { CliError } from './cli-error.js';
import { commandsIn } from './load-commands.js';
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
  try {
    await program.parseAsync(argumentsList, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its help or its error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    const text = error instanceof CliError ? error.message : String((error as Error).stack);
    for (const line of text.split('\n')) io.err.write(`idsync: ${printable(line)}\n`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}
