import { CheckpointExpired, type Connector, type Cursor, type Page, type ReadOptions } from '@idsync/connectors';
import type { SourceRecord } from '@idsync/contracts';

/** A source whose people are added, changed and removed, and which can report changes. */
export class ChangingSource {
  private readonly people = new Map<string, SourceRecord>();
  /** Changed ids, in order. */
  private readonly log: string[] = [];
  private expiredBefore = 0;

  /** Sets a person's values, or removes the person without values. */
  set(external_id: string, values: Record<string, string> | undefined): void {
    if (values === undefined) this.people.delete(external_id);
    else {
      const fields = Object.fromEntries(Object.entries(values).map(([field, value]) => [field, [value]]));
      this.people.set(external_id, { external_id, fields });
    }
    this.log.push(external_id);
  }

  /** Invalidates all earlier checkpoints. */
  expireCheckpoints(): void {
    this.log.push('nobody');
    this.expiredBefore = this.log.length;
  }

  /** `beforePage` may throw, which simulates a killed worker. */
  connector(beforePage: (page: number) => void = () => undefined): Connector {
    return { reportsChanges: true, read: (options) => this.pages(options, beforePage) };
  }

  private async *pages(options: ReadOptions, beforePage: (page: number) => void): AsyncGenerator<Page> {
    const { since, cursor, pageSize } = options;
    if (since && Number(since.at) < this.expiredBefore) throw new CheckpointExpired('the checkpoint has expired');
    const start = Number(cursor?.start ?? this.log.length);
    const named = since ? this.log.slice(Number(since.at), start) : [...this.people.keys()].sort();
    let next = Number(cursor?.next ?? 0);
    for (let page = 0; ; page += 1) {
      beforePage(page);
      const here = named.slice(next, next + pageSize);
      next += here.length;
      const last = next >= named.length;
      const place: Cursor = { next, start };
      yield {
        records: here.flatMap((id) => this.people.get(id) ?? []),
        errors: [],
        removed: here.filter((id) => !this.people.has(id)),
        cursor: place,
        last,
        ...(last && { checkpoint: { at: start } }),
      };
      if (last) return;
    }
  }
}
