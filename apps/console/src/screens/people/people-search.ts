import { oneOf, textOf } from '../../data/search-params';

export const statuses = ['pending', 'active', 'suspended', 'inactive', 'deleted'] as const;

/** The filters of the list, all of them in the URL. */
export interface PeopleSearch {
  q?: string;
  status?: (typeof statuses)[number];
  department?: string;
  source?: string;
}

export function peopleSearchOf({ q, status, department, source }: Record<string, unknown>): PeopleSearch {
  return {
    q: textOf(q),
    status: oneOf(statuses, status),
    department: textOf(department),
    source: textOf(source),
  };
}
