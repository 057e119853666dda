import { SourceError } from '../connector.js';
import { decodeText } from '../decode-text.js';
import type { SourceFile } from '../open-source-file.js';
import { fileBeginning, type Position } from '../read-pages.js';
import { type Row, readRows } from './csv-rows.js';

export interface Header {
  /** Column number by name. */
  columns: ReadonlyMap<string, number>;
  width: number;
  /** Position of the first row. */
  next: Position;
}

/** Reads the header row. Throws if it is missing or truncated, has a duplicate name, or lacks one of `needed`. */
export async function readHeader(
  file: SourceFile,
  delimiter: string,
  needed: readonly string[],
  signal: AbortSignal,
): Promise<Header> {
  for await (const row of readRows(file, delimiter, fileBeginning, signal)) {
    if (isBlank(row)) continue;
    if (!row.terminated)
      throw new SourceError(`"${file.path}" is truncated: it ends within the header`, { code: 'incomplete' });
    const columns = new Map<string, number>();
    for (const [index, cell] of row.cells.entries()) {
      const name = decodeText(cell)?.trim();
      if (name === undefined) throw new SourceError(`the header of "${file.path}" is not valid UTF-8`);
      if (name === '') continue;
      if (columns.has(name)) throw new SourceError(`"${file.path}" has two columns with the same name`, { said: name });
      columns.set(name, index);
    }
    const missing = needed.filter((name) => !columns.has(name.trim()));
    if (missing.length > 0) {
      throw new SourceError(`"${file.path}" has no column ${quoteAll(missing)}`, {
        code: 'misconfigured',
        said: `available columns: ${quoteAll(columns.keys())}`,
      });
    }
    return { columns, width: row.cells.length, next: row.next };
  }
  throw new SourceError(`"${file.path}" is empty and has no header`, { code: 'incomplete' });
}

export function isBlank({ cells }: Row): boolean {
  return cells.length === 1 && cells[0] === '';
}

function quoteAll(names: Iterable<string>): string {
  const all = [...names].map((name) => `"${name}"`);
  return all.length > 40 ? `${all.slice(0, 40).join(', ')}, …` : all.join(', ');
}
