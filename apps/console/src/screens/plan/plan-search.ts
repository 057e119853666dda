import { type SearchOf, searchOf } from '../../data/search-params';

export const actions = ['create', 'update', 'disable', 'delete'] as const;
export type PlanAction = (typeof actions)[number];

export const planSearch = searchOf({ action: actions, find: 'text' });
export type PlanSearch = SearchOf<typeof planSearch>;
