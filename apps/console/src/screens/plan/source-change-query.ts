import { queryOptions } from '@tanstack/react-query';
import { call, type OperatorJobWithErrors } from '../../data/api';
import { changedFields, lastCompletedBefore } from './source-change';

const few = 20;

/** The newest change of the source's settings after its last completed run; null if there is none. */
export const sourceChangeQuery = (
  tenantId: string,
  { job_id, connector_id, created_at, started_at = created_at }: OperatorJobWithErrors,
) =>
  queryOptions({
    queryKey: ['source-change', tenantId, job_id],
    queryFn: async () => {
      const path = { tenantId };
      const { data: runs } = await call('GET /sync-jobs', path, { connector_id, limit: few });
      const since = lastCompletedBefore(runs, created_at);
      if (!since) return null;
      const { data } = await call('GET /audit', path, {
        action: 'updateConnector',
        resource: connector_id,
        since,
        until: started_at,
        order: 'desc',
        limit: few,
      });
      const entry = data.find(({ outcome }) => outcome === 'accepted');
      if (!entry) return null;
      return { at: entry.at, by: entry.actor.name, entry: String(entry.sequence), fields: changedFields(entry) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
