import { type SearchOf, searchOf } from '../../data/search-params';

export const classifications = [
  'service_account',
  'api_key',
  'oauth_app',
  'workload',
  'bot',
  'ci_cd',
  'ai_agent',
  'unknown',
] as const;
export const statuses = ['active', 'disabled', 'orphaned', 'decommissioned'] as const;
/** Lower bounds of the risk score, as the list offers them. */
export const risks = ['80', '50', '20'] as const;

export const machinesSearch = searchOf({ q: 'text', status: statuses, kind: classifications, risk: risks });
export type MachinesSearch = SearchOf<typeof machinesSearch>;
