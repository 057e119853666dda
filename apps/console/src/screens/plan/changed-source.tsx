import { useQuery } from '@tanstack/react-query';
import { TenantLink } from '../../components/tenant-link';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import type { OperatorJobWithErrors } from '../../data/api';
import styles from './changed-source.module.css';
import { sourceChangeQuery } from './source-change-query';

/** Whether the settings of the source changed between its last completed run and this one, which may explain the plan. */
export function ChangedSource({ tenantId, job }: { tenantId: string; job: OperatorJobWithErrors }) {
  const mayRead = useMay('auditor');
  const { data: change } = useQuery({ ...sourceChangeQuery(tenantId, job), enabled: mayRead });
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
