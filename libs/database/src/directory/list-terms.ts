import { attributePrefix, deletedStatus, type RecordKind } from '@idsync/contracts';
import { groupIdOf } from './group-id.js';
import { firstCharacters, foldText, longestValue } from './search-terms.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/** Returns the term of a department; undefined if nothing of the value remains. */
export function departmentTerm(value: string): string | undefined {
  return termOf('d', value);
}

/** Returns the term of a value of a custom attribute. Names contain no colon. */
export function attributeTerm(name: string, value: string): string | undefined {
  return termOf(`a:${name}`, value);
}

function termOf(prefix: string, value: string): string | undefined {
  const folded = firstCharacters(foldText(value), longestValue);
  return folded === '' ? undefined : `${prefix}:${folded}`;
}

/** Returns the term of the members of a group. */
export function groupTerm(groupId: string): string {
  return `g:${groupId}`;
}

/** The parts of a record that determine its terms. */
export interface ListedRecord {
  kind: RecordKind;
  connectorId: string;
  status: string;
  fields: Fields;
}

/** The field of a record with the ids of its groups, if they are not those that the names in `groups` give. */
export const groupIdsField = 'group_ids';

export interface RecordGroup {
  id: string;
  connectorId: string;
  /** Absent if the id does not follow from it. */
  name?: string;
}

/** Returns the groups of a user that is not deleted. */
export function groupsOf({ kind, connectorId, status, fields }: ListedRecord): RecordGroup[] {
  if (kind !== 'user' || status === deletedStatus.user) return [];
  const ids = fields[groupIdsField];
  if (ids) return ids.map((id) => ({ id, connectorId }));
  return [...new Set(fields.groups)].map((name) => ({ id: groupIdOf(connectorId, name), connectorId, name }));
}

/** Returns the terms by which lists are filtered: groups, departments and custom attributes, which many may share. */
export function listTermsOf(record: ListedRecord): string[] {
  const terms = new Set<string>(groupsOf(record).map(({ id }) => groupTerm(id)));
  for (const [field, values] of Object.entries(record.fields)) {
    const isAttribute = field.startsWith(attributePrefix);
    if (!isAttribute && field !== 'departments') continue;
    const name = field.slice(attributePrefix.length);
    for (const value of values) {
      const term = isAttribute ? attributeTerm(name, value) : departmentTerm(value);
      if (term !== undefined) terms.add(term);
    }
  }
  return [...terms];
}
