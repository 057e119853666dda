import { oneOf, textOf } from '../../data/search-params';

export const statuses = ['active', 'disabled', 'locked', 'deleted'] as const;
const matches = ['true', 'false'] as const;

export interface AccountsSearch {
  q?: string;
  status?: (typeof statuses)[number];
  source?: string;
  matched?: (typeof matches)[number];
}

export function accountsSearchOf({ q, status, source, matched }: Record<string, unknown>): AccountsSearch {
  return {
    q: textOf(q),
    status: oneOf(statuses, status),
    source: textOf(source),
    matched: oneOf(matches, textOf(matched)),
  };
}
