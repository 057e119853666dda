import { oneOf, textOf } from '../../data/search-params.js';

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

export interface EventsSearch {
  types?: string;
  identity?: string;
  job?: string;
  source?: string;
  since?: string;
}

const periods = ['1h', '24h', '7d'] as const;

export function eventsSearchOf({ types, identity, job, source, since }: Record<string, unknown>): EventsSearch {
  return {
    types: textOf(types),
    identity: textOf(identity),
    job: textOf(job),
    source: textOf(source),
    since: oneOf(periods, since),
  };
}

const hours: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168 };
const stepMs = 60_000;

/** Start of a period until now, in whole minutes, so that the request stays the same meanwhile. */
export function startOf(period: string | undefined, now: number): string | undefined {
  const length = hours[period ?? ''];
  if (length === undefined) return undefined;
  return new Date(Math.floor(now / stepMs) * stepMs - length * 3_600_000).toISOString();
}
