import type { CsvConfig, FileEncoding } from '@idsync/contracts';
import { quoteAll, SourceError } from '../connector.js';
import type { SourceFile } from '../open-source-file.js';
import { fileBeginning, type Position } from '../read-pages.js';
import { decodeText, readText } from '../read-text.js';
import { type Row, readRows } from './csv-rows.js';

/** How a file is written, and its columns. */
export interface Layout {
  encoding: FileEncoding;
  delimiter: string;
  /** Column number by name. */
  columns: ReadonlyMap<string, number>;
  width: number;
  /** Position of the first row. */
  next: Position;
  /** Decodes a cell. Returns undefined if it is not valid in the encoding, or contains a NUL character. */
  textOf(cell: string): string | undefined;
}

/**
 * Reads the encoding, the delimiter and the header row. Throws if the header is missing or truncated, has a duplicate
 * name, or lacks one of `needed`.
 */
export async function readLayout(
  file: SourceFile,
  config: Pick<CsvConfig, 'delimiter' | 'encoding'>,
  needed: readonly string[],
  signal: AbortSignal,
): Promise<Layout> {
  const { encoding, named, first } = await readBeginning(file, config, signal);
  const format = { encoding, delimiter: named ?? config.delimiter ?? ',' };
  const textOf = encoding === 'utf-8' ? decodeText : decodeReplaced;
  for await (const row of readRows(file, format, first, signal)) {
    if (isBlank(row)) continue;
    const { cells, next } = row;
    if (!row.terminated) throw new SourceError(`"${file.path}" is truncated: it ends within the header`, 'incomplete');
    const columns = new Map<string, number>();
    for (const [index, cell] of cells.entries()) {
      const name = textOf(cell)?.trim();
      if (name === undefined)
        throw new SourceError(`the header of "${file.path}" is not valid ${nameOf(encoding)}`, 'misconfigured');
      if (name === '') continue;
      if (columns.has(name)) throw new SourceError(`"${file.path}" has two columns with the same name`, { said: name });
      columns.set(name, index);
    }
    requireColumns(file, columns, needed, likelyDelimiter(row));
    return { ...format, columns, width: cells.length, next, textOf };
  }
  throw new SourceError(`"${file.path}" is empty and has no header`, 'incomplete');
}

function requireColumns(
  file: SourceFile,
  columns: ReadonlyMap<string, number>,
  needed: readonly string[],
  likely: string | undefined,
): void {
  const missing = needed.filter((name) => !columns.has(name.trim()));
  if (missing.length === 0) return;
  const hint = likely === undefined ? '' : `: the header is one column; is the delimiter ${likely}?`;
  throw new SourceError(`"${file.path}" has no column ${quoteAll(missing)}${hint}`, {
    code: 'misconfigured',
    said: `available columns: ${quoteAll(columns.keys())}`,
  });
}

/** Longer than a line `sep=`. */
const beginningBytes = 16;

/** Returns the encoding, the delimiter that a first line `sep=` names, and the position after this line. */
async function readBeginning(
  file: SourceFile,
  config: Pick<CsvConfig, 'encoding'>,
  signal: AbortSignal,
): Promise<{ encoding: FileEncoding; named?: string; first: Position }> {
  const { encoding, start, chunks } = await readText(file, 0, signal, config.encoding);
  let head = Buffer.alloc(0);
  for await (const chunk of chunks) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= beginningBytes) break;
  }
  const [line, named] = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r)/i.exec(head.toString('latin1', 0, beginningBytes)) ?? [];
  if (line === undefined || named === undefined) return { encoding, first: fileBeginning };
  return { encoding, named, first: { offset: start + line.length, line: 2 } };
}

export function isBlank({ cells, terminated }: Row): boolean {
  if (cells.length === 1 && cells[0] === '') return true;
  // A last row without a line break can be the beginning of a longer one.
  return terminated && cells.every((cell) => cell.trim() === '');
}

/** The UTF-8 bytes of U+FFFD, which replaces bytes that an encoding does not have. */
const replacement = '\xef\xbf\xbd';

function decodeReplaced(cell: string): string | undefined {
  return cell.includes(replacement) ? undefined : decodeText(cell);
}

/** Writes the encoding as in messages. */
export function nameOf(encoding: FileEncoding): string {
  return encoding === 'utf-8' ? 'UTF-8' : encoding;
}

/** Bytes of a file that show its encoding. */
export const encodingSample = 1024 * 1024;

/** Compares the encoding with which a file is read with its first bytes, which are text of single bytes or UTF-8. */
export function encodingWarning(encoding: FileEncoding, head: Buffer): string[] {
  if (encoding.startsWith('utf-16') || head.every((byte) => byte < 0x80)) return [];
  const isUtf8 = isValidUtf8(head);
  if (encoding === 'utf-8' && !isUtf8)
    return ['the file is not valid UTF-8, so values are missing; set encoding, for example to windows-1252'];
  if (encoding !== 'utf-8' && isUtf8) return [`the file is valid UTF-8, but it is read as ${encoding}`];
  return [];
}

function isValidUtf8(head: Buffer): boolean {
  try {
    // The sample can end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length === encodingSample });
    return true;
  } catch {
    return false;
  }
}

const usual: Readonly<Record<string, string>> = { ';': '";"', ',': '","', '\t': 'a tab', '|': '"|"' };

/** Returns the name of the usual delimiter that occurs in a row of one column: `width - 1` times, if it is given. */
export function likelyDelimiter({ cells }: Pick<Row, 'cells'>, width?: number): string | undefined {
  const [only] = cells;
  if (only === undefined || cells.length > 1) return undefined;
  const found = Object.entries(usual)
    .map(([delimiter, name]) => ({ name, count: only.split(delimiter).length - 1 }))
    .filter(({ count }) => (width === undefined ? count > 0 : count === width - 1))
    .sort((a, b) => b.count - a.count);
  return found[0]?.name;
}
