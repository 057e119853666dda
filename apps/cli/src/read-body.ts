import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './cli-error.js';

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
