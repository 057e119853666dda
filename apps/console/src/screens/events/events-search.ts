import { type SearchOf, searchOf } from '../../data/search-params.js';

/** Groups of event types, as subscriptions name them. */
export const groups = [
  'identity.*',
  'lifecycle.*',
  'user.*',
  'account.*',
  'machine_identity.*',
  'group.*',
  'finding.*',
  'sync.job.*',
  'webhook.test',
] as const;

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
