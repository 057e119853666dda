import { type SearchOf, searchOf } from '../../data/search-params';

export const statuses = ['active', 'disabled', 'locked', 'deleted'] as const;

export const accountsSearch = searchOf({ q: 'text', status: statuses, source: 'text', matched: ['true', 'false'] });
export type AccountsSearch = SearchOf<typeof accountsSearch>;
