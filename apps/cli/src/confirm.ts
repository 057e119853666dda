import { createInterface } from 'node:readline';
import { CliError } from './cli-error.js';
import type { CliContext } from './printer.js';
import { printable } from './table.js';

/** Asks for confirmation of an irreversible action. Throws unless the answer is yes. */
export async function confirm(io: CliContext, question: string): Promise<void> {
  const answer = await ask(io, `${question} [y/N]`, '--yes');
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CliError('cancelled: nothing was changed');
}

/** Asks for the name of what an action destroys. Throws unless the answer is this name. */
export async function confirmName(io: CliContext, question: string, name: string): Promise<void> {
  const answer = await ask(io, `${question} Type its name to continue:`, '--name');
  if (answer.trim() !== name) throw new CliError('cancelled: this is not its name, and nothing was changed');
}

async function ask({ in: input = process.stdin, err }: CliContext, question: string, option: string): Promise<string> {
  if (!input.isTTY) throw new CliError(`standard input is not a terminal: pass ${option} to skip the confirmation`);
  const lines = createInterface({ input, output: err, prompt: `${printable(question)} ` });
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
    lines.prompt();
  });
  lines.close();
  return answer;
}
