import { type Connector, type FieldProblem, type Page, type ReadOptions, SourceError } from '@idsync/connectors';
import type { RecordError } from '@idsync/contracts';

export interface ListSourceOptions {
  /** Numbers (from 0) of lines with an invalid record. */
  badLines?: readonly number[];
  /** Fields that cannot be used, by record. */
  problems?: Readonly<Record<string, FieldProblem[]>>;
  /** Fails at this line, with a source error or an internal error. */
  failsAt?: { line: number; error: Error };
  /** Called and awaited before each page. */
  beforePage?: (line: number) => Promise<void> | void;
  reportsFraction?: boolean;
  /** Ends without a last page. */
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
      records: good.map((each) => {
        const problems = options.problems?.[`r${each}`];
        return { external_id: `r${each}`, fields: {}, ...(problems && { problems }) };
      }),
      errors: bad.map((each): RecordError => ({ line: each, message: 'external_id is missing' })),
      cursor: { line },
      last: line === lines && !options.endless,
      ...(options.reportsFraction && { fraction: line / lines }),
    };
  } while (line < lines);
}

export const truncated = (line: number) => ({ line, error: new SourceError('hr.csv ends in the middle of a record') });
