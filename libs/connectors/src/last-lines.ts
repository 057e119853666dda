import { hash } from 'node:crypto';

/** Entries of a file whose ids are compared: about 50 MB of memory while the file is scanned. */
const maxEntries = 2_000_000;

/** Collects the ids of a file, to find those that are listed repeatedly. It keeps 16 bytes for each entry. */
export class IdCollector {
  private hashes = new BigUint64Array(1_024);
  private lines = new Float64Array(1_024);
  private count = 0;

  /** Entries beyond `limit` are not compared. */
  constructor(private readonly limit = maxEntries) {}

  add(id: string, line: number): void {
    if (this.count >= this.limit) return;
    if (this.count === this.hashes.length) this.grow();
    this.hashes[this.count] = hashOf(id);
    this.lines[this.count] = line;
    this.count += 1;
  }

  /** Returns the last line of each id that was added repeatedly. */
  repeated(): LastLines {
    const sorted = this.hashes.slice(0, this.count).sort();
    const repeated = new Map<bigint, number>();
    for (let at = 1; at < sorted.length; at += 1) {
      const current = sorted[at];
      if (current !== undefined && current === sorted[at - 1]) repeated.set(current, 0);
    }
    if (repeated.size > 0) {
      for (let at = 0; at < this.count; at += 1) {
        const current = this.hashes[at];
        if (current !== undefined && repeated.has(current)) repeated.set(current, this.lines[at] ?? 0);
      }
    }
    return new LastLines(repeated);
  }

  private grow(): void {
    const [hashes, lines] = [this.hashes, this.lines];
    this.hashes = new BigUint64Array(2 * hashes.length);
    this.hashes.set(hashes);
    this.lines = new Float64Array(2 * lines.length);
    this.lines.set(lines);
  }
}

/** The last lines of ids that a file lists repeatedly. */
export class LastLines {
  constructor(private readonly byHash: ReadonlyMap<bigint, number>) {}

  /** Returns the line of a later entry with this id. */
  after(id: string, line: number): number | undefined {
    if (this.byHash.size === 0) return undefined;
    const last = this.byHash.get(hashOf(id));
    return last !== undefined && last > line ? last : undefined;
  }
}

/** Among a million ids, two have the same 64 bits in one of 37 million files. */
function hashOf(id: string): bigint {
  return hash('sha1', id, 'buffer').readBigUInt64LE();
}
