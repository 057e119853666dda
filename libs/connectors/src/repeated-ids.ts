import { hash } from 'node:crypto';
import { compareEmployments, type RankedEmployment, rowEmployment, type SourceRecord } from '@idsync/contracts';

/** Entries of a file whose ids are compared: about 32 MB of memory while the file is scanned. */
const maxEntries = 2_000_000;

/** Collects the ids of a file, to find those that are listed repeatedly. It keeps 8 bytes for each entry. */
export class IdCollector {
  private hashes = new BigUint64Array(1_024);
  private count = 0;

  /** Entries beyond `limit` are not compared. */
  constructor(private readonly limit = maxEntries) {}

  add(id: string): void {
    if (this.count >= this.limit) return;
    if (this.count === this.hashes.length) {
      const { hashes } = this;
      this.hashes = new BigUint64Array(2 * hashes.length);
      this.hashes.set(hashes);
    }
    this.hashes[this.count] = hashOf(id);
    this.count += 1;
  }

  /** Returns the ids that were added repeatedly, whose rows are compared as of a time. */
  repeated(now: Date): RepeatedIds {
    const sorted = this.hashes.slice(0, this.count).sort();
    return new RepeatedIds(new Set(sorted.filter((id, at) => at > 0 && id === sorted[at - 1])), now);
  }
}

interface CountingRow {
  line: number;
  /** Absent if the row cannot be used. */
  employment: RankedEmployment | undefined;
}

/** The ids that a file lists repeatedly, with the row of each that counts. */
export class RepeatedIds {
  private readonly rows = new Map<bigint, CountingRow>();

  constructor(
    private readonly ids: ReadonlySet<bigint>,
    private readonly now: Date,
  ) {}

  get isEmpty(): boolean {
    return this.ids.size === 0;
  }

  /**
   * Compares a row with the earlier rows of its id. One that cannot be used counts, so that the record keeps its state.
   * Among equally good rows the last one counts.
   */
  compare(id: string, line: number, fields: SourceRecord['fields'] | undefined): void {
    const key = hashOf(id);
    if (!this.ids.has(key)) return;
    const employment = fields && rowEmployment(fields, this.now);
    const best = this.rows.get(key);
    if (best && isBetter(best.employment, employment)) return;
    this.rows.set(key, { line, employment });
  }

  /** Returns the line of another row with this id, if that one counts. */
  countingRow(id: string, line: number): number | undefined {
    if (this.isEmpty) return undefined;
    const counting = this.rows.get(hashOf(id))?.line;
    return counting === line ? undefined : counting;
  }
}

function isBetter(best: RankedEmployment | undefined, other: RankedEmployment | undefined): boolean {
  if (!best || !other) return best === undefined && other !== undefined;
  return compareEmployments(best, other) < 0;
}

/** Among a million ids, two have the same 64 bits in one of 37 million files. */
function hashOf(id: string): bigint {
  return hash('sha1', id, 'buffer').readBigUInt64LE();
}
