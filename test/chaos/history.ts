import type { DirectoryFixture } from '@idsync/testing';

interface Change {
  field: string;
  from?: unknown;
  to?: unknown;
}

interface EventRow {
  sequence: number;
  type: string;
  subject: string;
  details: { changes?: Change[] };
}

interface RecordRow {
  id: string;
  status: string;
  fields: Record<string, string[]>;
}

/** Links are compared through the people themselves. */
const linkFields = new Set(['identity_id', 'person_id']);

/**
 * Follows the history of one tenant record by record, and detects a change that was applied twice because it does not
 * fit the earlier values.
 */
export class History {
  readonly doubled: string[] = [];
  events = 0;
  private readonly created = new Set<string>();
  /** The value of each field of each record according to the events so far. */
  private readonly values = new Map<string, Map<string, string>>();

  constructor(private readonly tenant: string) {}

  /** Reads the events since the last call. */
  async follow(admin: DirectoryFixture): Promise<void> {
    const rows = await admin.rows<EventRow>(
      `select sequence, type, subject_id as subject, details from events where tenant_id = $1 and sequence > $2 order by sequence`,
      [this.tenant, this.events],
    );
    for (const row of rows) {
      this.events += 1;
      if (row.sequence !== this.events)
        this.doubled.push(`event ${row.sequence} found where ${this.events} was expected`);
      this.take(row);
    }
  }

  /** Returns the records whose history differs from the directory. */
  async differences(admin: DirectoryFixture): Promise<string[]> {
    const records = await admin.rows<RecordRow>(
      `select id, status, fields from source_records where tenant_id = $1 and kind in ('user', 'account')`,
      [this.tenant],
    );
    return records.flatMap(({ id, status, fields }) => {
      const said = this.values.get(id);
      if (!said) return [`record ${id} has no history`];
      const shown = new Map(Object.entries(fields).map(([field, value]) => [field, text(value)]));
      // A status that has never changed is in no event.
      shown.set('status', said.has('status') ? text(status) : '[]');
      const names = [...new Set([...said.keys(), ...shown.keys()])].filter((field) => !linkFields.has(field));
      const wrong = names.filter((field) => (said.get(field) ?? '[]') !== (shown.get(field) ?? '[]'));
      return wrong.map(
        (field) =>
          `record ${id}: ${field} is ${said.get(field)} in its history, but ${shown.get(field)} in the directory`,
      );
    });
  }

  private take({ sequence, type, subject, details }: EventRow): void {
    if (type.endsWith('.created')) {
      if (this.created.has(subject)) this.doubled.push(`event ${sequence}: ${type} of ${subject} for the second time`);
      this.created.add(subject);
    }
    if (!/^(user|account)\./.test(type)) return;
    const values = this.values.get(subject) ?? new Map<string, string>();
    this.values.set(subject, values);
    for (const { field, from, to } of details.changes ?? []) {
      const [was, is] = [text(from), text(to)];
      const known = values.get(field);
      if (was === is) this.doubled.push(`event ${sequence}: ${type} of ${subject} changes nothing of ${field}`);
      else if (known !== undefined && known !== was)
        this.doubled.push(`event ${sequence}: ${field} of ${subject} was ${known}, and not ${was}`);
      values.set(field, is);
    }
  }
}

/** Makes a single value equal to a list of one. */
function text(value: unknown): string {
  if (value === undefined) return '[]';
  return JSON.stringify(Array.isArray(value) ? value : [value]);
}
