import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { InvalidArgumentError } from 'commander';
import { CliError, UsageError } from './cli-error.js';
import type { CliContext } from './printer.js';
import { printable } from './table.js';

/** Reads a text file; `-` is standard input. */
export function readInput(file: string, cwd = '.'): string {
  try {
    return readFileSync(file === '-' ? 0 : resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Reads a JSON object from a file; `-` is standard input. */
export function readBody(file: string, cwd?: string): object {
  const text = readInput(file, cwd);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
  throw new UsageError(`${file} must contain one JSON object`);
}

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

/** Parses an option that is a count. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 to 999999999.');
  return Number(text);
}

/** Parses an option that is a list. */
export function commaSeparated(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes('')) throw new InvalidArgumentError('It must be a comma-separated list without empty parts.');
  return parts;
}

/** Options as fields of the API: `fullEvery` is `full_every`. */
export function fieldsOf(options: object): Record<string, unknown> {
  const nameOf = (option: string) => option.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(options).map(([option, value]) => [nameOf(option), value]));
}
