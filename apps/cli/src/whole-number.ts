import { InvalidArgumentError } from 'commander';

/** Parses an option that is a count. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 to 999999999.');
  return Number(text);
}
