import { oneOf, textOf } from '../../data/search-params';

export const kinds = [
  'leaver_with_account',
  'leaver_with_machine_secret',
  'leaver_in_other_source',
  'employment_conflict',
  'unmatched_account',
  'duplicate_in_source',
  'machine_without_owner',
  'stale_source',
  'unknown_manager',
  'manager_cycle',
  'user_looks_like_machine',
  'account_looks_like_machine',
] as const;
export const states = ['open', 'accepted', 'resolved'] as const;

export interface FindingsSearch {
  kind?: (typeof kinds)[number];
  /** Open ones if absent. */
  state?: (typeof states)[number];
  /** Id of the machine, account, user or source that they are about, or of an identity that they concern. */
  subject?: string;
}

export function findingsSearchOf({ kind, state, subject }: Record<string, unknown>): FindingsSearch {
  return { kind: oneOf(kinds, kind), state: oneOf(states, state), subject: textOf(subject) };
}
