import { queryOptions } from '@tanstack/react-query';
import { call } from '../../data/api';
import { liveByEvents, unlessStreamed } from '../../data/query-client';

const few = 5;

export const heldRunsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['jobs', tenantId, { status: 'quarantined', limit: few }],
    queryFn: () => call('GET /sync-jobs', { tenantId }, { status: 'quarantined', limit: few }),
    ...liveByEvents,
  });

export const openCasesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['cases', tenantId, { status: 'open', limit: few }],
    queryFn: () => call('GET /cases', { tenantId }, { status: 'open', limit: few }),
    ...liveByEvents,
  });

export const openFindingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['findings', tenantId, { state: 'open', limit: 200 }],
    queryFn: () => call('GET /findings', { tenantId }, { state: 'open', limit: 200 }),
    ...liveByEvents,
  });

export const peopleCountQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['people-count', tenantId],
    queryFn: () => call('GET /identities', { tenantId }, { limit: 1 }),
    refetchInterval: () => unlessStreamed(30_000),
  });

/** Events and attempts of deliveries by hour. */
export const activityQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['activity', tenantId],
    queryFn: () => call('GET /activity', { tenantId }),
    refetchInterval: () => unlessStreamed(30_000),
    refetchIntervalInBackground: false,
  });
