import { type Connector, type Page, type ReadOptions, SourceError } from '@idsync/connectors';
import type { RecordError } from '@idsync/contracts';

export interface ListSourceOptions {
  /** Lines that are no record, by number from 0. */
  badLines?: readonly number[];
  /** Fails at this line, as a truncated file does, or as a mistake of ours does. */
  failsAt?: { line: number; error: Error };
  /** Called before each page; what it returns is waited for. */
  beforePage?: (line: number) => Promise<void> | void;
  tellsFraction?: boolean;
  /** Ends without saying so. */
  endless?: boolean;
}

/** A source of `lines` records `r0`, `r1`, … that can be read from any line, as a file can. */
export function listSource(lines: number, options: ListSourceOptions = {}): Connector {
  return { read: (reading) => pages(lines, reading, options) };
}

async function* pages(lines: number, reading: ReadOptions, options: ListSourceOptions): AsyncGenerator<Page> {
  let line = Number(reading.cursor?.line ?? 0);
  do {
    await options.beforePage?.(line);
    reading.signal.throwIfAborted();
    const end = Math.min(line + reading.pageSize, lines);
    const { failsAt } = options;
    if (failsAt && failsAt.line < end) throw failsAt.error;
    const bad = (options.badLines ?? []).filter((each) => each >= line && each < end);
    const good = Array.from({ length: end - line }, (_, at) => line + at).filter((each) => !bad.includes(each));
    line = end;
    yield {
      records: good.map((each) => ({ external_id: `r${each}`, fields: {} })),
      errors: bad.map((each): RecordError => ({ line: each, message: 'external_id is missing' })),
      cursor: { line },
      last: line === lines && !options.endless,
      ...(options.tellsFraction && { fraction: line / lines }),
    };
  } while (line < lines);
}

export const truncated = (line: number) => ({ line, error: new SourceError('hr.csv ends in the middle of a record') });
