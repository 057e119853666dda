import { SourceError } from '../connector.js';
import { decodeText } from '../decode-text.js';
import type { SourceFile } from '../open-source-file.js';
import { fileBeginning, type Position } from '../read-pages.js';
import { type Row, readRows } from './csv-rows.js';

export interface Header {
  /** Column number by name. */
  columns: ReadonlyMap<string, number>;
  width: number;
  /** Where the first row begins. */
  next: Position;
}

/** Reads the header row. Throws if the file is empty or cut off in it, a name stands twice, or one of `needed` is missing. */
export async function readHeader(
  file: SourceFile,
  delimiter: string,
  needed: readonly string[],
  signal: AbortSignal,
): Promise<Header> {
  for await (const row of readRows(file, delimiter, fileBeginning, signal)) {
    if (isBlank(row)) continue;
    if (!row.terminated) throw new SourceError(`"${file.path}" is cut off: it ends within the header`);
    const columns = new Map<string, number>();
    for (const [index, cell] of row.cells.entries()) {
      const name = decodeText(cell)?.trim();
      if (name === undefined) throw new SourceError(`the header of "${file.path}" is not valid UTF-8`);
      if (name === '') continue;
      if (columns.has(name)) throw new SourceError(`"${file.path}" has two columns named "${name}"`);
      columns.set(name, index);
    }
    const missing = needed.filter((name) => !columns.has(name.trim()));
    if (missing.length > 0) {
      throw new SourceError(`"${file.path}" has no column ${quoteAll(missing)}; there are ${quoteAll(columns.keys())}`);
    }
    return { columns, width: row.cells.length, next: row.next };
  }
  throw new SourceError(`"${file.path}" is empty: not even a header`);
}

export function isBlank({ cells }: Row): boolean {
  return cells.length === 1 && cells[0] === '';
}

function quoteAll(names: Iterable<string>): string {
  const all = [...names].map((name) => `"${name}"`);
  return all.length > 40 ? `${all.slice(0, 40).join(', ')}, …` : all.join(', ');
}
