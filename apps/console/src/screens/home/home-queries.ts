import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';
import { liveByEvents, unlessStreamed } from '../../data/query-client';

const few = 5;

export const heldRunsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['jobs', tenantId, { status: 'quarantined', limit: few }],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/sync-jobs', {
          params: { path: { tenantId }, query: { status: 'quarantined', limit: few } },
        }),
      ),
    ...liveByEvents,
  });

export const openCasesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['cases', tenantId, { status: 'open', limit: few }],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/cases', {
          params: { path: { tenantId }, query: { status: 'open', limit: few } },
        }),
      ),
    ...liveByEvents,
  });

export const openFindingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['findings', tenantId, { state: 'open', limit: 200 }],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/findings', {
          params: { path: { tenantId }, query: { state: 'open', limit: 200 } },
        }),
      ),
    ...liveByEvents,
  });

export const peopleCountQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['people-count', tenantId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/identities', { params: { path: { tenantId }, query: { limit: 1 } } }),
      ),
    refetchInterval: () => unlessStreamed(30_000),
  });

/** Events and attempts of deliveries by hour. */
export const activityQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['activity', tenantId],
    queryFn: () => answerOf(api.GET('/admin/v1/tenants/{tenantId}/activity', { params: { path: { tenantId } } })),
    refetchInterval: () => unlessStreamed(30_000),
    refetchIntervalInBackground: false,
  });
