import { SourceError } from '../connector.js';
import type { SourceFile } from '../open-source-file.js';
import type { Position } from '../read-pages.js';
import { readText } from '../read-text.js';

const maxLineBytes = 8 * 1024 * 1024;

export interface JsonLine {
  /** One character per byte, without the line break. */
  bytes: string;
  line: number;
  next: Position;
  /** False for a last line without a line break. */
  terminated: boolean;
}

/** Streams the lines of a file from a position, including blank lines. */
export async function* readLines(file: SourceFile, from: Position, signal: AbortSignal): AsyncGenerator<JsonLine> {
  const { start, chunks } = await readText(file, from.offset, signal);
  let at: Position = { offset: start, line: from.line };
  let rest: Buffer[] = [];
  let restBytes = 0;
  const take = (bytes: Buffer, terminated: boolean): JsonLine => {
    const { line, offset } = at;
    at = { offset: offset + bytes.length + (terminated ? 1 : 0), line: line + 1 };
    return { bytes: bytes.toString('latin1'), line, next: at, terminated };
  };
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      yield take(Buffer.concat([...rest, chunk.subarray(begin, end)]), true);
      rest = [];
      restBytes = 0;
      begin = end + 1;
    }
    if (begin === chunk.length) continue;
    rest.push(chunk.subarray(begin));
    restBytes += chunk.length - begin;
    if (restBytes > maxLineBytes)
      throw new SourceError(`line ${at.line} of "${file.path}" is longer than 8 MiB`, 'too_large');
  }
  if (restBytes > 0) yield take(Buffer.concat(rest), false);
}
