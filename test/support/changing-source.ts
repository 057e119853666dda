import { CheckpointExpired, type Connector, type Cursor, type Page, type ReadOptions } from '@idsync/connectors';
import type { SourceRecord } from '@idsync/contracts';

/** A source that people come to, change and leave, and that can tell what has changed. */
export class ChangingSource {
  private readonly people = new Map<string, SourceRecord>();
  /** Who was touched, in that order. */
  private readonly log: string[] = [];
  private forgotten = 0;

  /** Without a value, who is named is gone. */
  say(external_id: string, values: Record<string, string> | undefined): void {
    if (values === undefined) this.people.delete(external_id);
    else {
      const fields = Object.fromEntries(Object.entries(values).map(([field, value]) => [field, [value]]));
      this.people.set(external_id, { external_id, fields });
    }
    this.log.push(external_id);
  }

  /** Checkpoints of before are of no use any more. */
  forget(): void {
    this.log.push('nobody');
    this.forgotten = this.log.length;
  }

  /** `beforePage` may throw, as a worker that is killed there. */
  connector(beforePage: (page: number) => void = () => undefined): Connector {
    return { tellsChanges: true, read: (options) => this.pages(options, beforePage) };
  }

  private async *pages(options: ReadOptions, beforePage: (page: number) => void): AsyncGenerator<Page> {
    const { since, cursor, pageSize } = options;
    if (since && Number(since.at) < this.forgotten) throw new CheckpointExpired('the source has forgotten');
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
