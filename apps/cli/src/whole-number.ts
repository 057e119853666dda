import { InvalidArgumentError } from 'commander';

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
