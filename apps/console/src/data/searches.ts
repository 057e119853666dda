// The filters of the screens: parameters of the URL, with the values that the API knows. The routes read them, so the code
// of the screens is not here.

import {
  deliveryStatuses,
  findingKinds,
  findingStates,
  jobStatuses,
  machineClassifications,
  personStatuses,
  planActions,
  recordFields,
} from '@idsync/contracts/fixed-values';
import { type SearchOf, searchOf } from './search-params';

/** The statuses that a list can be filtered by. */
export const accountStatuses = recordFields.account.status;
export const machineStatuses = recordFields.machine_identity.status;
export const runStatuses = jobStatuses;

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

/** Open ones without a state; about a machine, account, user or source, or all that concern an identity. */
export const findingsSearch = searchOf({ kind: findingKinds, state: findingStates, subject: 'text' });
export type FindingsSearch = SearchOf<typeof findingsSearch>;

/** Lower bounds of the risk score, as the list offers them. */
export const risks = ['80', '50', '20'] as const;
export const machinesSearch = searchOf({
  q: 'text',
  status: machineStatuses,
  kind: machineClassifications,
  risk: risks,
});
export type MachinesSearch = SearchOf<typeof machinesSearch>;

export const peopleSearch = searchOf({ q: 'text', status: personStatuses, department: 'text', source: 'text' });
export type PeopleSearch = SearchOf<typeof peopleSearch>;

export const planSearch = searchOf({ action: planActions, find: 'text' });
export type PlanSearch = SearchOf<typeof planSearch>;

export const runsSearch = searchOf({ status: runStatuses, source: 'text' });
export type RunsSearch = SearchOf<typeof runsSearch>;

export const settingsViews = ['general', 'operators', 'people', 'findings', 'quotas'] as const;
export type SettingsView = (typeof settingsViews)[number];

export const setupSteps = ['type', 'connection', 'test', 'map', 'dry-run', 'schedule'] as const;
export type SetupStep = (typeof setupSteps)[number];

/** The queue whose dead letters are listed, and the dead letter that is shown in full. */
export const systemSearch = searchOf({ queue: 'text', letter: 'text' });
export type SystemSearch = SearchOf<typeof systemSearch>;
