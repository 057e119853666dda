import type { FileEncoding } from '@idsync/contracts';
import { CsvError, type Parser, parse } from 'csv-parse';
import { SourceError } from '../connector.js';
import type { SourceFile } from '../open-source-file.js';
import type { Position } from '../read-pages.js';
import { readText } from '../read-text.js';

export const maxRowBytes = 1024 * 1024;

export interface Row {
  /** One character per byte of UTF-8, so that invalid bytes can be detected later. */
  cells: string[];
  /** Number of its first line. */
  line: number;
  /** Position after the row. */
  next: Position;
  /** False for a last row without a line break. */
  terminated: boolean;
}

/** Streams the rows of a file from a position, including blank lines as one empty cell. */
export async function* readRows(
  file: SourceFile,
  { delimiter, encoding }: { delimiter: string; encoding: FileEncoding },
  from: Position,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  const { start, chunks } = await readText(file, from.offset, signal, encoding);
  let rows: Row[] = [];
  let next: Position = { offset: start, line: from.line };
  let fed = start;
  let lastByte: number | undefined;
  const parser = parse({
    encoding: 'latin1',
    delimiter: Buffer.from(delimiter),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[], { bytes }) => {
      const { line } = next;
      next = { offset: start + bytes, line: line + linesOf(cells) };
      // Only the last row can end with the data and without a line break.
      const terminated = next.offset < fed || lastByte === 10 || lastByte === 13;
      rows.push({ cells, line, next, terminated });
      // Returning null keeps the stream empty, so that a write completes when its rows are parsed.
      return null;
    },
  });
  // The write callback reports errors, but without a listener they would also terminate the process.
  parser.on('error', () => undefined);
  try {
    for await (const chunk of chunks) {
      fed += chunk.length;
      lastByte = chunk.at(-1);
      await send(parser, chunk);
      yield* rows;
      rows = [];
      // Counted here, because the limit of the parser ignores rows of delimiters only.
      if (fed - next.offset > maxRowBytes) {
        throw new SourceError(
          `"${file.path}" has a row of more than 1 MiB in line ${next.line}: is a quote not closed?`,
          'too_large',
        );
      }
    }
    await send(parser, null);
    yield* rows;
  } catch (error) {
    throw error instanceof CsvError ? notParsed(file, next.line, error) : error;
  } finally {
    parser.destroy();
  }
}

/** Returns the number of lines of a row. */
function linesOf(cells: readonly string[]): number {
  let lines = 1;
  for (const cell of cells) {
    if (/[\r\n]/.test(cell)) lines += cell.split(/\r\n|\r|\n/).length - 1;
  }
  return lines;
}

/** Invalid quotes fail the whole file, because the following rows could be lost. */
function notParsed(file: SourceFile, line: number, cause: CsvError): SourceError {
  switch (cause.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new SourceError(`"${file.path}" is truncated: it ends within quotes, in the row of line ${line}`, {
        code: 'incomplete',
        cause,
      });
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return new SourceError(`"${file.path}" has a misplaced quote in the row of line ${line}`, { cause });
    default:
      return new SourceError(`"${file.path}" cannot be read from the row of line ${line} on`, { cause });
  }
}

/** Passes one chunk, or the end, to the parser and waits until it is parsed. */
function send(parser: Parser, chunk: Buffer | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    if (chunk) parser.write(chunk, done);
    else parser.end(done);
  });
}
