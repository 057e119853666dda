import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './api';

const unfinished = new Set(['queued', 'running', 'quarantined']);
const everyMs = 2_000;

/** A run; read again while it is not finished. */
export const jobQuery = (tenantId: string, jobId: string) =>
  queryOptions({
    queryKey: ['jobs', tenantId, jobId],
    queryFn: () =>
      answerOf(api.GET('/admin/v1/tenants/{tenantId}/sync-jobs/{jobId}', { params: { path: { tenantId, jobId } } })),
    refetchInterval: ({ state }) => (state.data && !unfinished.has(state.data.status) ? false : everyMs),
  });
