import { oneOf, textOf } from '../../data/search-params';

export const actions = ['create', 'update', 'disable', 'delete'] as const;
export type PlanAction = (typeof actions)[number];

export interface PlanSearch {
  action?: PlanAction;
  find?: string;
}

export function planSearchOf({ action, find }: Record<string, unknown>): PlanSearch {
  return { action: oneOf(actions, action), find: textOf(find) };
}
