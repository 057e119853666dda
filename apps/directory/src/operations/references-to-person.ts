import { type KeyKind, machineReferences, matchingKeys } from '@idsync/contracts';
import type { EarlierState, ReferencingMachine, StoredRecord } from '@idsync/database/directory';
import { type KeyRules, keyValue, normaliseText } from '../matching/record-keys.js';

/** Fields by which machines refer to people, and the values of one person in them. */
export interface Identifying {
  fields: ReadonlySet<string>;
  /** In every notation that is equal to a value by the tenant's rules. */
  values: ReadonlySet<string>;
  /** Ids in the sources, earlier keys and texts of former references, which only references may have as a value. */
  texts: Set<string>;
  rules: KeyRules;
}

/** `earlier`: the values that events of the person's records contain. */
export function identifying(
  persons: readonly StoredRecord[],
  earlier: readonly { field: string; value: string }[],
  rules: KeyRules,
): Identifying {
  const fields = new Set([...matchingKeys, 'other_emails', ...rules.certain]);
  const values = persons.flatMap((record) =>
    [...fields].flatMap((field) => notationsOf(field, record.fields[field] ?? [], rules)),
  );
  const keys = earlier.flatMap(({ field, value }) => (isIdentifying(field, { fields }) ? value : []));
  const texts = [...persons.map(({ externalId }) => externalId), ...keys];
  return { fields, values: new Set(values), texts: new Set(texts.map(normalised)), rules };
}

/** Other values, such as a department or the manager of the person, may be those of anyone. */
export const isIdentifying = (field: string, { fields }: Pick<Identifying, 'fields'>) =>
  field === 'external_id' || fields.has(field);

/** Returns the texts by which a record refers to other people now, which may have been values of the person earlier. */
export function textsOfOthers(record: StoredRecord, naming: Naming): Set<string> {
  const roles = rolesOn(record, naming);
  const others = machineReferences.filter((role) => !roles.has(role));
  return new Set(others.flatMap((role) => record.fields[role] ?? []).map(normalised));
}

export const normalised = (value: string) => normaliseText(value) ?? value;

export const isNameOf = ({ values, texts }: Identifying, value: string) =>
  values.has(normalised(value)) || texts.has(normalised(value));

function notationsOf(field: string, values: readonly string[], rules: KeyRules): string[] {
  const kind = (field === 'other_emails' ? 'email' : field) as KeyKind;
  return values.flatMap((value) => [normalised(value), keyValue(kind, value, rules) ?? []].flat());
}

/**
 * Returns the fields that refer to the person: by role, and on a machine also by one of the person's match keys.
 */
export function namesOn(record: StoredRecord, naming: Naming, person: Identifying): Map<string, string[]> {
  const roles = rolesOn(record, naming);
  const isReference = (field: string, values: readonly string[]) =>
    roles.has(field) || (record.kind === 'machine_identity' && hasKeyOf(person, field, values));
  return new Map(Object.entries(record.fields).filter(([field, values]) => isReference(field, values)));
}

/** True if a field of an earlier state refers to the person; references of today are known by role. */
function mentions(
  { kind }: StoredRecord,
  field: string,
  values: readonly string[],
  { person, others }: { person: Identifying; others: ReadonlySet<string> },
): boolean {
  if (!(machineReferences as readonly string[]).includes(field))
    return kind === 'machine_identity' && hasKeyOf(person, field, values);
  return values.some((value) => isNameOf(person, value) && !others.has(normalised(value)));
}

/** True if the field is a match key and has a value of the person, in any notation. */
function hasKeyOf({ fields, values: own, rules }: Identifying, field: string, values: readonly string[]): boolean {
  return fields.has(field) && notationsOf(field, values, rules).some((notation) => own.has(notation));
}

/** The roles in which records refer to the person, by record. */
export type Naming = ReadonlyMap<string, ReadonlySet<string>>;

export function rolesByRecord(references: readonly ReferencingMachine[]): Naming {
  const roles = new Map<string, Set<string>>();
  for (const { recordId, role } of references) roles.set(recordId, (roles.get(recordId) ?? new Set()).add(role));
  return roles;
}

const noRoles: ReadonlySet<string> = new Set();

const rolesOn = ({ id }: StoredRecord, naming: Naming) => naming.get(id) ?? noRoles;

/**
 * Removes references to the person from a record and from its state before the last job; a technical inheritor becomes
 * the owner.
 */
export function withoutPerson(record: StoredRecord, naming: Naming, person: Identifying): StoredRecord {
  const names = namesOn(record, naming, person);
  const others = textsOfOthers(record, naming);
  const without = <Value>(fields: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !names.has(field)));
  const { technical_inheritor: inheritor } = without(record.fields);
  const inherits = inheritor !== undefined && rolesOn(record, naming).has('owned_by');
  const earlier = <State extends EarlierState>(state: State): State => ({
    ...state,
    fields: Object.fromEntries(
      Object.entries(without(state.fields)).filter(
        ([field, values]) => !mentions(record, field, values, { person, others }),
      ),
    ),
    changedAt: without(state.changedAt),
  });
  const { previous } = record;
  return {
    ...record,
    fields: { ...without(record.fields), ...(inherits && { owned_by: inheritor }) },
    changedAt: without(record.changedAt),
    ...(previous && {
      previous: { ...earlier(previous), ...(previous.previous && { previous: earlier(previous.previous) }) },
    }),
  };
}
