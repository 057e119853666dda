import { createInterface } from 'node:readline';
import { CliError } from './cli-error.js';
import type { Surroundings } from './session.js';
import { printable } from './table.js';

/** Asks before something is done that nothing takes back; ends the command unless the answer is yes. */
export async function confirm({ in: input = process.stdin, err }: Surroundings, question: string): Promise<void> {
  // A script that nobody watches must say beforehand that it means it.
  if (!input.isTTY) throw new CliError('nobody can be asked here: give --yes to go on without a question');
  const lines = createInterface({ input, output: err, prompt: `${printable(question)} [y/N] ` });
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
    lines.prompt();
  });
  lines.close();
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CliError('nothing was done');
}
