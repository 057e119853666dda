import { groupsIn } from '../json/groups-in.js';
import { jsonReader } from '../json/json-path.js';
import { scalarText, valueAt } from '../json/json-value.js';
import type { ValuesOf } from '../map-record.js';

/** The path of the groups of a user, whose values are the ids of the groups. */
const groupNames = 'groups[].display';

/**
 * Reads values of SCIM resources by path. Where a single-valued field takes one value of a multi-valued attribute, this
 * is the primary one, otherwise the first of type `work`, otherwise the first.
 */
export function scimReader(paths: readonly string[]): (resource: unknown) => ValuesOf {
  const inOrder = jsonReader(paths);
  const preferredFirst = jsonReader(paths, sortByPreference);
  return (resource) => {
    const all = inOrder(resource);
    const preferred = preferredFirst(resource);
    return (path, forOne) => {
      if (path === groupNames)
        return groupsIn(listAt(resource, 'groups'), (group) => valueAt(group, 'display'), 'value');
      return forOne ? preferred(path) : all(path);
    };
  };
}

function listAt(resource: unknown, name: string): unknown[] {
  const list = valueAt(resource, name);
  return Array.isArray(list) ? list : [];
}

function sortByPreference(list: readonly unknown[]): readonly unknown[] {
  return [...list].sort((one, other) => rank(one) - rank(other));
}

/** Ignores case and type, because some services send "True". */
function rank(value: unknown): number {
  const has = (name: string, text: string) => scalarText(valueAt(value, name))?.toLowerCase() === text;
  if (has('primary', 'true')) return 0;
  return has('type', 'work') ? 1 : 2;
}
