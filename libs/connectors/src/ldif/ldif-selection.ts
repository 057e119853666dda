import type { RecordKind } from '@idsync/contracts';

const people = new Set(['person', 'organizationalperson', 'inetorgperson', 'user', 'posixaccount', 'account']);
const containersAndGroups = new Set([
  'organizationalunit',
  'organization',
  'domain',
  'dcobject',
  'container',
  'group',
  'groupofnames',
  'groupofuniquenames',
  'posixgroup',
]);

/** Returns whether an entry of these classes is a record of this kind. If `wanted` is given, only it decides. */
export function isSelected(kind: RecordKind, objectClasses: readonly string[], wanted?: string): boolean {
  const classes = objectClasses.map((name) => name.toLowerCase());
  if (wanted !== undefined) return classes.includes(wanted.trim().toLowerCase());
  if (kind === 'machine_identity') return !classes.some((name) => containersAndGroups.has(name));
  return classes.length === 0 || classes.some((name) => people.has(name));
}
