import { type SearchOf, searchOf } from '../../data/search-params';

export const statuses = ['pending', 'active', 'suspended', 'inactive', 'deleted'] as const;

export const peopleSearch = searchOf({ q: 'text', status: statuses, department: 'text', source: 'text' });
export type PeopleSearch = SearchOf<typeof peopleSearch>;
