import { queryOptions } from '@tanstack/react-query';
import { call } from './api';

const unfinished = new Set(['queued', 'running', 'quarantined']);
const everyMs = 2_000;

/** A run; read again while it is not finished. */
export const jobQuery = (tenantId: string, jobId: string) =>
  queryOptions({
    queryKey: ['jobs', tenantId, jobId],
    queryFn: () => call('GET /sync-jobs/{jobId}', { tenantId, jobId }),
    refetchInterval: ({ state }) => (state.data && !unfinished.has(state.data.status) ? false : everyMs),
  });
