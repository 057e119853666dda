import { namesOf, type Values } from '../map-record.js';
import { scalarText, valueAt } from './json-value.js';

/** Returns the names of groups, with their keys unless one of them has none. Groups without a name are left out. */
export function groupsIn(items: readonly unknown[], nameOf: (group: unknown) => unknown, key = 'id'): Values {
  const named = items.flatMap((item) => {
    const name = scalarText(nameOf(item));
    return name === undefined ? [] : { id: scalarText(valueAt(item, key)) ?? '', name };
  });
  return namesOf(named);
}
