import { oneOf, textOf } from '../../data/search-params';

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

export interface MachinesSearch {
  q?: string;
  status?: (typeof statuses)[number];
  kind?: (typeof classifications)[number];
  risk?: (typeof risks)[number];
}

export function machinesSearchOf({ q, status, kind, risk }: Record<string, unknown>): MachinesSearch {
  return {
    q: textOf(q),
    status: oneOf(statuses, status),
    kind: oneOf(classifications, kind),
    risk: oneOf(risks, textOf(risk)),
  };
}
