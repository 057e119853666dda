// The filters of the screens: parameters of the URL, with the values that the API knows. The routes read them, so the code
// of the screens is not here.

import { type SearchOf, searchOf } from './search-params';

export const accountStatuses = ['active', 'disabled', 'locked', 'deleted'] as const;
export const accountsSearch = searchOf({
  q: 'text',
  status: accountStatuses,
  source: 'text',
  matched: ['true', 'false'],
});
export type AccountsSearch = SearchOf<typeof accountsSearch>;

/** The filters, and the sequence of the entry that is shown in full. */
export const auditSearch = searchOf({ actor: 'text', action: 'text', resource: 'text', entry: 'text' });
export type AuditSearch = SearchOf<typeof auditSearch>;

/** Open cases are shown if the URL names no status. */
export const caseStatuses = ['linked', 'new', 'ignored', 'settled'] as const;

export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export const deliverySearch = searchOf({ status: deliveryStatuses, type: 'text' });
export type DeliverySearch = SearchOf<typeof deliverySearch>;

export const eventsSearch = searchOf({
  types: 'text',
  identity: 'text',
  job: 'text',
  source: 'text',
  since: ['1h', '24h', '7d'],
});
export type EventsSearch = SearchOf<typeof eventsSearch>;

const hours: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168 };
const stepMs = 60_000;

/** Start of a period until now, in whole minutes, so that the request stays the same meanwhile. */
export function startOf(period: string | undefined, now: number): string | undefined {
  const length = hours[period ?? ''];
  if (length === undefined) return undefined;
  return new Date(Math.floor(now / stepMs) * stepMs - length * 3_600_000).toISOString();
}

export const findingKinds = [
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
export const findingStates = ['open', 'accepted', 'resolved'] as const;
/** Open ones without a state; about a machine, account, user or source, or all that concern an identity. */
export const findingsSearch = searchOf({ kind: findingKinds, state: findingStates, subject: 'text' });
export type FindingsSearch = SearchOf<typeof findingsSearch>;

export const machineKinds = [
  'service_account',
  'api_key',
  'oauth_app',
  'workload',
  'bot',
  'ci_cd',
  'ai_agent',
  'unknown',
] as const;
export const machineStatuses = ['active', 'disabled', 'orphaned', 'decommissioned'] as const;
/** Lower bounds of the risk score, as the list offers them. */
export const risks = ['80', '50', '20'] as const;
export const machinesSearch = searchOf({ q: 'text', status: machineStatuses, kind: machineKinds, risk: risks });
export type MachinesSearch = SearchOf<typeof machinesSearch>;

export const personStatuses = ['pending', 'active', 'suspended', 'inactive', 'deleted'] as const;
export const peopleSearch = searchOf({ q: 'text', status: personStatuses, department: 'text', source: 'text' });
export type PeopleSearch = SearchOf<typeof peopleSearch>;

export const planActions = ['create', 'update', 'disable', 'delete'] as const;
export type PlanAction = (typeof planActions)[number];
export const planSearch = searchOf({ action: planActions, find: 'text' });
export type PlanSearch = SearchOf<typeof planSearch>;

export const runStatuses = [
  'queued',
  'running',
  'quarantined',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;
export const runsSearch = searchOf({ status: runStatuses, source: 'text' });
export type RunsSearch = SearchOf<typeof runsSearch>;

export const settingsViews = ['general', 'operators', 'people', 'findings', 'quotas'] as const;
export type SettingsView = (typeof settingsViews)[number];

export const setupSteps = ['type', 'connection', 'test', 'map', 'dry-run', 'schedule'] as const;
export type SetupStep = (typeof setupSteps)[number];

/** The queue whose dead letters are listed, and the dead letter that is shown in full. */
export const systemSearch = searchOf({ queue: 'text', letter: 'text' });
export type SystemSearch = SearchOf<typeof systemSearch>;
