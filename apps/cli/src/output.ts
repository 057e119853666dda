import type { WriteStream } from 'node:tty';
import { cellText, printable, type Terminal } from './table.js';

export const outputFormats = ['table', 'json', 'jsonl', 'csv'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** Standard output, or what replaces it in tests. */
export type OutputStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

/** Returns how tables look on this stream; undefined if it is no terminal. */
export function terminalOf(stream: OutputStream, env: Record<string, string | undefined>): Terminal | undefined {
  if (!stream.isTTY) return undefined;
  return { columns: stream.columns || 80, colours: stream.hasColors?.(env) ?? false };
}

/** Formats rows as CSV after RFC 4180, under headings such as `last_run`. `forTerminal` replaces control characters. */
export function csv(headings: readonly string[], rows: readonly unknown[][], forTerminal = false): string {
  const names = headings.map((heading) => (heading === '%' ? 'percent' : heading.replaceAll(' ', '_')));
  return [names, ...rows].map((row) => csvLine(row, forTerminal)).join('');
}

/** Formats one row as CSV. */
export function csvLine(row: readonly unknown[], forTerminal: boolean): string {
  const texts = row.map(cellText);
  return `${texts.map((text) => quoted(forTerminal ? printable(text) : text)).join(',')}\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
