import { useQuery } from '@tanstack/react-query';
import { Button } from '../../components/button';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { useTenantId } from '../../data/use-tenant';
import { MappedRecords } from './mapped-records';
import { ProbeFailure } from './probe-failure';
import { probeQuery } from './probe-queries';
import styles from './setup.module.css';

interface TestStepProps {
  sourceId: string;
  /** The source has a mapping, given or by default, so that records can be shown as mapped. */
  isMapped: boolean;
}

/** Whether the source can be read, its fields, and what a run would not see. */
export function TestStep({ sourceId, isMapped }: TestStepProps) {
  const tenantId = useTenantId();
  const found = useQuery(probeQuery(tenantId, sourceId, 'discover'));
  const test = useQuery({ ...probeQuery(tenantId, sourceId, 'test'), enabled: isMapped });
  const isTesting = found.isFetching || test.isFetching;
  const again = () => Promise.all([found.refetch(), ...(isMapped ? [test.refetch()] : [])]);
  if (isTesting)
    return (
      <>
        <p className={styles.hint}>The source is asked for its first records. This takes at most 22 seconds.</p>
        <Loading rows={4} />
      </>
    );
  if (found.error) return <ErrorState error={found.error} onRetry={again} />;
  const fields = found.data?.fields ?? [];
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        <StatusBadge tone={found.data?.status === 'failed' ? 'bad' : 'ok'}>
          {found.data?.status === 'failed' ? 'Not connected' : `Connected, ${fields.length} fields found`}
        </StatusBadge>
        <Button small onClick={again}>
          Test again
        </Button>
      </div>
      {found.data?.status === 'failed' && <ProbeFailure probe={found.data} />}
      {test.error && <ErrorState error={test.error} />}
      {found.data?.status !== 'failed' && test.data && <MappedRecords probe={test.data} />}
      {found.data?.status !== 'failed' && !isMapped && fields.length === 0 && (
        <EmptyState title="No field found">The source can be reached, but has no record.</EmptyState>
      )}
      {!isMapped && fields.length > 0 && (
        <ul className={styles.found} aria-label="Fields of the source">
          {fields.map(({ name, examples }) => (
            <li key={name}>
              <code dir="auto">{name}</code>
              <span dir="auto">{examples.join(' · ') || '—'}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
