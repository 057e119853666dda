// "An erased person stays erased" of docs/directory.md.
import type { Directory } from './directory.js';
import { comparedText, keysOf } from './keys.js';
import { nameTextOf } from './names.js';
import { type Entry, type Fields, isDeleted, isUser, nameOf, type Row, type Source } from './types.js';

const identifying = ['employee_number', 'email', 'user_principal_name'] as const;

export class Erasures {
  readonly persons = new Set<number>();
  private readonly anchors = new Set<string>();
  private readonly named = new Set<string>();

  /** Removes the records of a person, and remembers by what later ones are recognised. */
  erase(directory: Directory, person: number): Entry[] {
    const own = directory.of(person);
    const others = [...directory.entries.values()].filter((entry) => isUser(entry) && entry.person !== person);
    for (const { name, fields } of own) {
      this.anchors.add(name);
      for (const field of identifying) if (isOnlyOf(fields, field, others)) this.named.add(textOf(fields, field));
    }
    for (const { name } of own) directory.entries.delete(name);
    for (const entry of directory.entries.values())
      if (entry.manager === person)
        Object.assign(entry, {
          manager: undefined,
          ...withoutManager(entry),
          before: entry.before && { ...entry.before, ...withoutManager(entry.before) },
        });
    this.persons.add(person);
    return own;
  }

  /** Whether a run leaves out this row. */
  leavesOut(source: Source, { id, fields }: Row): boolean {
    return (
      this.anchors.has(nameOf(source, id)) ||
      identifying.some((field) => fields[field] && this.named.has(textOf(fields, field)))
    );
  }
}

/** The values without the manager, and the row as its source lists it. A deleted record is applied again if it is listed. */
function withoutManager({ fields, status, listed }: Stripped): Pick<Entry, 'fields' | 'listed'> {
  const row = isDeleted({ status }) ? undefined : (listed ?? JSON.stringify(fields));
  return { fields: { ...fields, manager_id: '' }, listed: row };
}
type Stripped = Pick<Entry, 'fields' | 'status' | 'listed'>;

/** A placeholder belongs to no person. */
function isOnlyOf(fields: Fields, field: (typeof identifying)[number], others: readonly Entry[]): boolean {
  const [key] = keysOf({ [field]: fields[field] ?? '' }, field);
  const have = (entry: Entry) => key !== undefined && keysOf(entry.fields, field).includes(key);
  return (
    key !== undefined && !others.some((entry) => have(entry) && (field === 'employee_number' || !isDeleted(entry)))
  );
}

/** An address of one source can be the user principal name of another. */
const textOf = (fields: Fields, field: string): string =>
  [field === 'employee_number' ? 'number' : 'address', comparedText(fields[field] ?? ''), nameTextOf(fields)].join(' ');
