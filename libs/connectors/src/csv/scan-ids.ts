import { comparedText } from '@idsync/contracts';
import type { SourceFile } from '../open-source-file.js';
import { readText } from '../read-text.js';
import type { Layout } from './csv-layout.js';
import { maxRowBytes } from './csv-rows.js';

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Passes the id of each complete row to `add`. The parser would take as long as the read that follows:
 * 60 000 rows/s instead of a million.
 */
export async function scanIds(
  file: SourceFile,
  layout: Layout,
  column: number,
  signal: AbortSignal,
  add: (id: string) => void,
): Promise<void> {
  const { chunks } = await readText(file, layout.next.offset, signal, layout.encoding);
  const scanner = new Scanner(layout, column, add);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    rest = data.subarray(scanner.scan(data, false));
    // The read reports it.
    if (rest.length > maxRowBytes) return;
  }
  scanner.scan(rest, true);
}

/** Finds rows and cells. It ignores misplaced quotes, at which the read fails. */
class Scanner {
  private readonly delimiter: Buffer;

  constructor(
    private readonly layout: Layout,
    private readonly column: number,
    private readonly add: (id: string) => void,
  ) {
    this.delimiter = Buffer.from(layout.delimiter);
  }

  /** Returns where the last row that is incomplete begins. */
  scan(data: Buffer, isEnd: boolean): number {
    const { delimiter, column } = this;
    const [separator] = delimiter;
    let row = 0;
    let cell = 0;
    let cells = 0;
    let idFrom = 0;
    let idTo = 0;
    let isQuoted = false;
    const endCell = (at: number) => {
      if (cells === column) {
        idFrom = cell;
        idTo = at;
      }
      cells += 1;
    };
    for (let at = 0; at < data.length; at += 1) {
      const byte = data[at];
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === lineFeed || byte === carriageReturn) {
        // Whether a line feed follows decides where the next row begins.
        if (byte === carriageReturn && at + 1 === data.length && !isEnd) break;
        const next = byte === carriageReturn && data[at + 1] === lineFeed ? at + 2 : at + 1;
        if (!isQuoted) {
          endCell(at);
          this.endRow(data, cells, idFrom, idTo);
          [row, cell, cells] = [next, next, 0];
        }
        at = next - 1;
      } else if (!isQuoted && byte === separator && isAt(data, at, delimiter)) {
        endCell(at);
        at += delimiter.length - 1;
        cell = at + 1;
      }
    }
    if (isEnd && row < data.length) {
      endCell(data.length);
      this.endRow(data, cells, idFrom, idTo);
    }
    return row;
  }

  private endRow(data: Buffer, cells: number, from: number, to: number): void {
    if (cells !== this.layout.width) return;
    const bytes = data.toString('latin1', from, to);
    const cell = bytes.startsWith('"') ? bytes.slice(1, -1).replaceAll('""', '"') : bytes;
    const id = comparedText(this.layout.textOf(cell) ?? '');
    if (id) this.add(id);
  }
}

function isAt(data: Buffer, at: number, bytes: Buffer): boolean {
  return bytes.length === 1 || data.compare(bytes, 0, bytes.length, at, Math.min(data.length, at + bytes.length)) === 0;
}
