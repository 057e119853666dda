import { type SearchOf, searchOf } from '../../data/search-params';

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

/** Open ones without a state; about a machine, account, user or source, or all that concern an identity. */
export const findingsSearch = searchOf({ kind: kinds, state: states, subject: 'text' });
export type FindingsSearch = SearchOf<typeof findingsSearch>;
