import { createInterface } from 'node:readline';
import { CliError } from './cli-error.js';
import type { CliContext } from './session.js';
import { printable } from './table.js';

/** Asks for confirmation of an irreversible action. Throws unless the answer is yes. */
export async function confirm({ in: input = process.stdin, err }: CliContext, question: string): Promise<void> {
  if (!input.isTTY) throw new CliError('standard input is not a terminal: pass --yes to skip the confirmation');
  const lines = createInterface({ input, output: err, prompt: `${printable(question)} [y/N] ` });
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
    lines.prompt();
  });
  lines.close();
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CliError('cancelled: nothing was changed');
}
