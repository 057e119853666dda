import { Transform, type TransformCallback } from 'node:stream';
import { CliError } from './cli-error.js';

const kindOf = /^\{"kind":"(\w+)"/;

/** Passes the lines of an export on, and fails unless they end with the line that counts all others. */
export class ExportLines extends Transform {
  private readonly counted: Record<string, number> = {};
  private rest = Buffer.alloc(0);
  private last = '';

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = Buffer.concat([this.rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      // Only the last line is needed whole, and it is short.
      this.last = bytes.toString('utf8', from, Math.min(end, from + 4_096));
      const [, kind = '?'] = kindOf.exec(this.last) ?? [];
      this.counted[kind] = (this.counted[kind] ?? 0) + 1;
      from = end + 1;
    }
    this.rest = bytes.subarray(from);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    const { end, ...counted } = this.counted;
    const isComplete = end === 1 && this.rest.length === 0 && sameCounts(endOf(this.last), counted);
    done(isComplete ? null : new CliError('the export is incomplete: the connection ended early; repeat it'));
  }

  /** Number of lines of each kind, without the last line. */
  get lines(): Record<string, number> {
    const { end: _, ...lines } = this.counted;
    return lines;
  }
}

function endOf(line: string): Record<string, number> {
  try {
    return (JSON.parse(line) as { lines?: Record<string, number> }).lines ?? {};
  } catch {
    return {};
  }
}

function sameCounts(stated: Record<string, number>, counted: Record<string, number>): boolean {
  return (
    Object.entries(stated).every(([kind, count]) => (counted[kind] ?? 0) === count) &&
    Object.keys(counted).every((kind) => kind in stated)
  );
}
