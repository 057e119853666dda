import { queryOptions, useQuery } from '@tanstack/react-query';
import { TenantLink } from '../../components/tenant-link';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { call, type OperatorJobWithErrors } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';
import styles from './changed-source.module.css';
import { changedFields, lastCompletedBefore } from './source-change';

const few = 20;

/** The newest change of the source's settings after its last completed run; null if there is none. */
const sourceChangeQuery = (
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

/** Whether the settings of the source changed between its last completed run and this one, which may explain the plan. */
export function ChangedSource({ job }: { job: OperatorJobWithErrors }) {
  const mayRead = useMay('auditor');
  const { data: change } = useQuery({ ...sourceChangeQuery(useTenantId(), job), enabled: mayRead });
  if (!change) return null;
  return (
    <p className={styles.changed}>
      <span>
        The settings of the source changed after its last completed run{change.fields.length > 0 && ': '}
        {change.fields.length > 0 && <code>{change.fields.join(', ')}</code>}, by <span dir="auto">{change.by}</span>{' '}
        <Ago at={change.at} />.
      </span>
      <TenantLink path={`/audit?action=updateConnector&resource=${job.connector_id}&entry=${change.entry}`}>
        See what changed
      </TenantLink>
    </p>
  );
}
