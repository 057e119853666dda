import { SourceError } from '../connector.js';
import { isObject, scalarText, valueAt } from '../json/json-value.js';
import type { ListingPage } from './scim-listing.js';

/** Maximum number of memberships in memory, about 100 MB. */
const maxMemberships = 2_000_000;

/** Returns the names of all direct and nested groups of a resource. */
export type GroupsOf = (resourceId: string) => string[];

/** Reads all groups with their members. */
export async function readGroups(pages: AsyncIterable<ListingPage>): Promise<GroupsOf> {
  const names = new Map<string, string>();
  const groupsOf = new Map<string, string[]>();
  let memberships = 0;
  for await (const { resources } of pages) {
    for (const group of resources) {
      const id = scalarText(valueAt(group, 'id'));
      if (id === undefined) throw new SourceError('a group has no id, so its members are unknown');
      names.set(id, scalarText(valueAt(group, 'displayName')) ?? id);
      const members = valueAt(group, 'members');
      for (const member of Array.isArray(members) ? members.filter(isObject) : []) {
        const value = scalarText(valueAt(member, 'value'));
        if (value === undefined) continue;
        memberships += 1;
        if (memberships > maxMemberships)
          throw new SourceError(`the groups have more than ${maxMemberships} members`, 'too_large');
        const known = groupsOf.get(value);
        if (known) known.push(id);
        else groupsOf.set(value, [id]);
      }
    }
  }
  return (resourceId) => {
    const found = new Set(groupsOf.get(resourceId));
    // Iterating a set includes values added meanwhile, and a cycle of groups ends.
    for (const group of found) for (const outer of groupsOf.get(group) ?? []) found.add(outer);
    return [...found].flatMap((id) => names.get(id) ?? []).sort();
  };
}
