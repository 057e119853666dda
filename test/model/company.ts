// The sources of a generated history, and how an edit changes them.
import { type Edit, people } from './steps.js';
import type { Fields, Row, Safeguard, Source } from './types.js';

/** Fields that a connector of each source maps. */
const mapped: Readonly<Record<string, readonly string[]>> = {
  HR: [
    'employee_number',
    'attributes.national_id',
    'attributes.badge',
    'other_emails',
    'email',
    'first_name',
    'last_name',
    'job_title',
    'hire_date',
    'termination_date',
    'manager_id',
    'status',
  ],
  Contractors: [
    'employee_number',
    'email',
    'first_name',
    'last_name',
    'job_title',
    'hire_date',
    'termination_date',
    'status',
  ],
  Directory: [
    'employee_number',
    'attributes.national_id',
    'email',
    'user_principal_name',
    'display_name',
    'job_title',
    'manager_id',
    'status',
  ],
  Logins: [
    'employee_number',
    'attributes.badge',
    'other_emails',
    'email',
    'user_principal_name',
    'display_name',
    'status',
  ],
};

const safeguard: Safeguard = {
  deleted: { percent: 30, records: 2 },
  disabled: { percent: 30, records: 1 },
  enabled: { percent: 30, records: 1 },
  reused: { percent: 0, records: 0 },
  created: { percent: 40, records: 3 },
  rekeyed: { percent: 20, records: 1 },
  changed: { percent: 30, records: 2 },
  changedFields: [
    'employee_number',
    'attributes.national_id',
    'email',
    'user_principal_name',
    'first_name',
    'last_name',
    'hire_date',
  ],
  countsTheDay: false,
};

export const sources: readonly Source[] = [
  { name: 'HR', kind: 'user', priority: 10, employments: true, safeguard },
  {
    name: 'Contractors',
    kind: 'user',
    priority: 15,
    employments: true,
    safeguard: { ...safeguard, countsTheDay: true },
  },
  {
    name: 'Directory',
    kind: 'user',
    priority: 20,
    employments: false,
    safeguard: { ...safeguard, countsTheDay: true },
  },
  { name: 'Logins', kind: 'account', priority: 30, employments: false, safeguard },
];

const mostRows = 12;

/** Changes that accompany a new external id; mostly none. */
const changesOfRekeyed = [
  {},
  {},
  {},
  {},
  { employee_number: '' },
  { last_name: 'Stone' },
  { job_title: 'Chief' },
  'ended',
] as const;

/** The columns of an export with a shifted one. */
function shifted(fields: Fields): Fields {
  const columns = ['email', 'first_name', 'last_name', 'job_title'].filter((field) => field in fields);
  return { ...fields, ...Object.fromEntries(columns.map((field, at) => [field, fields[columns[at - 1] ?? ''] ?? ''])) };
}

/**
 * The connector that reads the same source after another one was deleted. Its values precede, and no other source has its
 * priority, because the model does not know which of two values is newer.
 */
export function replacementOf({ name, ...source }: Source, taken: readonly number[]): Source {
  const [base, times = '1'] = name.split('-');
  let priority = source.priority - 1;
  while (taken.includes(priority)) priority -= 1;
  return { ...source, name: `${base}-${Number(times) + 1}`, priority };
}

/** Sources that report their changes. Employments come from files, which are always read completely. */
export const reportsChanges = ({ employments }: Source): boolean => !employments;

/** The content of one source. */
export class SourceContent {
  private rows: Row[] = [];
  private repeated: Row[] = [];
  private ends: Row[] = [];
  private isShifted = false;
  private removed: Row[] = [];
  /** External ids in the order of their changes, for sources that report them. */
  readonly log: string[] = [];

  constructor(
    public source: Source,
    private readonly nextId: () => string,
  ) {}

  /** The rows of a complete read. Another row of an id stands first, or last if it is a position that has ended. */
  all(): Row[] {
    const rows = [...this.repeated, ...this.rows, ...this.ends];
    return this.isShifted ? rows.map(({ id, fields }) => ({ id, fields: shifted(fields) })) : rows;
  }

  /** Changes after this position of the log, in order. */
  changedSince(position: number): { id: string; row: Row | undefined }[] {
    return this.log.slice(position).map((id) => ({ id, row: this.rows.find((row) => row.id === id) }));
  }

  /** Repeated rows and shifted columns are in one read only. */
  afterRead(): void {
    this.repeated = [];
    this.ends = [];
    this.isShifted = false;
  }

  edit(edit: Edit): void {
    if (edit.kind === 'add') this.add(personFields(edit.person, edit.fields, edit.status));
    else if (edit.kind === 'rekey') this.rekey(edit);
    else if (edit.kind === 'shift') this.isShifted = true;
    else if (edit.kind === 'purge') this.purge();
    else {
      const row = at(edit.kind === 'return' ? this.removed : this.rows, edit.row);
      if (row) this.editRow(row, edit);
    }
  }

  private editRow(row: Row, edit: Exclude<Edit, { kind: 'add' | 'rekey' | 'shift' | 'purge' }>): void {
    if (edit.kind === 'return' && this.rows.length < mostRows) this.put(row.id, row.fields);
    if (edit.kind === 'remove') this.put(row.id, undefined);
    if (edit.kind === 'set') this.put(row.id, { ...row.fields, [edit.field]: edit.value });
    if (edit.kind === 'repeat') this.repeat(row, edit.title);
    if (edit.kind === 'swap') {
      const other = at(this.rows, edit.other);
      if (!other) return;
      const [one, two] = [row.fields[edit.field] ?? '', other.fields[edit.field] ?? ''];
      this.put(row.id, { ...row.fields, [edit.field]: two });
      if (other !== row) this.put(other.id, { ...other.fields, [edit.field]: one });
    }
    if (edit.kind === 'recycle') {
      this.endEarlier(row, edit.earlier);
      this.add({ ...personFields(edit.person, 0, ''), email: row.fields.email ?? '' });
    }
    if (edit.kind === 'pass on')
      this.put(row.id, { ...personFields(edit.person, 0, row.fields.status ?? ''), employee_number: '' });
    if (edit.kind === 'again') {
      this.endEarlier(row, edit.earlier);
      const { employee_number = '' } = row.fields;
      const number = edit.fields % 4 === 0 ? '' : employee_number;
      this.add({ ...row.fields, employee_number: number, hire_date: '2025-05-01', status: '' });
    }
  }

  private endEarlier(row: Row, earlier: 'removed' | 'inactive' | 'present'): void {
    if (earlier === 'removed') this.put(row.id, undefined);
    if (earlier === 'inactive') this.put(row.id, { ...row.fields, status: this.ended });
  }

  private repeat({ id, fields }: Row, job_title: string): void {
    if (job_title === 'Temp') this.ends.push({ id, fields: { ...fields, job_title, status: this.ended } });
    else this.repeated.push({ id, fields: { ...fields, job_title } });
  }

  private purge(): void {
    for (const { id, fields } of [...this.rows]) if (fields.status === this.ended) this.put(id, undefined);
  }

  private get ended(): string {
    return this.source.kind === 'user' ? 'inactive' : 'disabled';
  }

  private add(fields: Fields): void {
    if (this.rows.length < mostRows) this.put(this.nextId(), fields);
  }

  private rekey({ every, changes }: Edit & { kind: 'rekey' }): void {
    for (const [nth, { id, fields }] of [...this.rows].entries()) {
      if (nth % every > 0) continue;
      this.put(id, undefined);
      const change = changesOfRekeyed[(changes + nth) % changesOfRekeyed.length];
      this.put(this.nextId(), { ...fields, ...(change === 'ended' ? { status: this.ended } : change) });
    }
  }

  private put(id: string, fields: Fields | undefined): void {
    this.log.push(id);
    const place = this.rows.findIndex((row) => row.id === id);
    const row = fields && { id, fields: this.visible(fields) };
    this.removed = this.removed.filter((other) => other.id !== id);
    if (!row) this.removed.push(...this.rows.slice(place, place + 1));
    if (place < 0) this.rows.push(...(row ? [row] : []));
    else this.rows.splice(place, 1, ...(row ? [row] : []));
  }

  /** The values of a person that this source maps. */
  private visible(fields: Fields): Fields {
    const statuses: Readonly<Record<string, string>> =
      this.source.kind === 'user' ? {} : { inactive: 'disabled', suspended: 'locked' };
    return Object.fromEntries(
      (mapped[this.source.name.split('-')[0] ?? ''] ?? []).map((field) => {
        const value = fields[field] ?? '';
        return [field, field === 'status' ? (statuses[value] ?? value) : value];
      }),
    );
  }
}

export const at = <T>(things: readonly T[], nth: number): T | undefined => things[nth % things.length];

/** The values of a person; the bits of `present` leave out some of them. */
function personFields(person: number, present: number, status: string): Fields {
  const { employee_number, email, first_name, last_name } = at(people, person) ?? people[0];
  const place = person % people.length;
  const left = (bit: number, value: string) => ((present >> bit) % 4 === 1 ? '' : value);
  return {
    employee_number: left(0, employee_number),
    email: left(2, email),
    'attributes.national_id': present % 5 === 1 ? `12-${place} a` : '',
    'attributes.badge': present % 5 === 2 ? `B-${place}7` : '',
    other_emails: present % 5 === 3 ? `${first_name}@acme.example alias${place}@acme.example`.toLowerCase() : '',
    user_principal_name: left(4, `${first_name[0]}${last_name}`.toLowerCase()),
    first_name,
    last_name,
    display_name: left(6, `${first_name} ${last_name}`),
    job_title: left(8, 'Clerk'),
    manager_id: present % 3 === 0 ? String((present % 4) + 1) : '',
    status,
  };
}
