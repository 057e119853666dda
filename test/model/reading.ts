// A source of the tests as the sync-worker reads it, and what a run of it has read.
import { type Connector, type Cursor, type Page, type ReadOptions, SourceError } from '@idsync/connectors';
import type { SourceRecord } from '@idsync/contracts';
import type { SourceContent } from './company.js';
import type { Reading } from './runs.js';
import type { Row } from './types.js';

class KilledWorker extends Error {}

export interface Interruptions {
  /** Pages before which the worker is killed, in turn. */
  kills: readonly number[];
  failsAt: number | undefined;
}

/** Reads the content as it is now, also if it is edited later. */
export class ContentReader {
  /** Since which position the run has read changes; undefined for everything. */
  since: number | undefined;
  private readonly end: number;
  private readonly rows: readonly Row[];
  private kills: readonly number[];
  private reached = 0;
  private failed = false;

  constructor(
    private readonly content: SourceContent,
    private readonly interruptions: Interruptions,
    private readonly reportsChanges: boolean,
  ) {
    this.end = content.log.length;
    this.rows = content.all();
    this.kills = interruptions.kills;
  }

  connector(): Connector {
    return { reportsChanges: this.reportsChanges, read: (options) => this.pages(options) };
  }

  /** The records that the directory was given. */
  reading(): Reading {
    const items = this.items().slice(0, this.reached);
    return {
      rows: items.flatMap(({ row }) => row ?? []),
      removed: items.filter(({ row }) => !row).map(({ id }) => id),
      since: this.since,
      end: this.reportsChanges ? this.end : undefined,
      isComplete: !this.failed,
    };
  }

  private items(): { id: string; row: Row | undefined }[] {
    if (this.since === undefined) return this.rows.map((row) => ({ id: row.id, row }));
    return this.content.changedSince(this.since);
  }

  private async *pages({ since, cursor, pageSize }: ReadOptions): AsyncGenerator<Page> {
    this.since = since && Number(since.at);
    const items = this.items();
    let next = Number(cursor?.next ?? 0);
    for (let page = 0; ; page += 1) {
      this.interrupt(page);
      const some = items.slice(next, next + pageSize);
      // A page of changes names an id once, with its last row.
      const here = since ? some.filter(({ id }, at) => some.findLastIndex((one) => one.id === id) === at) : some;
      next += some.length;
      const last = next >= items.length;
      const position: Cursor = { next };
      this.reached = Math.max(this.reached, next);
      yield {
        records: here.flatMap(({ row }) => (row ? [recordOf(row)] : [])),
        errors: [],
        removed: here.filter(({ row }) => !row).map(({ id }) => id),
        cursor: position,
        last,
        ...(last && this.reportsChanges && { checkpoint: { at: this.end } }),
      };
      if (last) return;
    }
  }

  private interrupt(page: number): void {
    if (this.kills[0] === page) {
      this.kills = this.kills.slice(1);
      throw new KilledWorker();
    }
    this.failed = this.interruptions.failsAt !== undefined && page >= this.interruptions.failsAt;
    if (this.failed) throw new SourceError('the source has failed');
  }
}

/** Dates as connectors normalise them. */
function recordOf({ id, fields }: Row): SourceRecord {
  const values = Object.entries(fields).map(([field, value]) => {
    const stored = field.endsWith('_date') && value !== '' ? `${value}T00:00:00.000Z` : value;
    const several = field === 'other_emails' ? value.split(' ') : [stored];
    return [field, stored === '' ? [] : several];
  });
  return { external_id: id, fields: Object.fromEntries(values) };
}
