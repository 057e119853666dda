import { useQuery } from '@tanstack/react-query';
import { call } from '../data/api';
import { liveByEvents } from '../data/query-client';
import { useTenantId } from '../data/use-tenant';
import { buttonClass } from './button';
import styles from './detail-rows.module.css';
import { Section } from './page';
import { EmptyState, ErrorState } from './states';
import { wordsOf } from './status';
import { StatusBadge } from './status-badge';
import { TenantLink } from './tenant-link';
import { Ago } from './time';

/** Findings about a record; they are decided on the screen of findings. `noun`: as the text names it. */
export function RecordFindings({ recordId, noun }: { recordId: string; noun: 'machine' | 'account' }) {
  const tenantId = useTenantId();
  const { data, error, refetch } = useQuery({
    queryKey: ['findings', tenantId, { subject: recordId }],
    queryFn: () => call('GET /findings', { tenantId }, { subject: recordId, limit: 20 }),
    ...liveByEvents,
  });
  const findings = data?.data ?? [];
  const list = `/findings?subject=${recordId}`;
  return (
    <Section
      title="Findings"
      actions={
        findings.length > 0 && (
          <TenantLink path={list} className={buttonClass({ look: 'quiet', small: true })}>
            Open in the list
          </TenantLink>
        )
      }
      flush
    >
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {data && findings.length === 0 && <EmptyState title={`No finding about this ${noun}`} />}
      <ul>
        {findings.map(({ id, kind, state, opened_at }) => (
          <li key={id} className={`${styles.row} ${styles.factor}`}>
            <TenantLink path={state === 'open' ? list : `${list}&state=${state}`} className={styles.title}>
              {wordsOf(kind)}
            </TenantLink>
            <span className={styles.aside}>
              <StatusBadge status={state} /> <Ago at={opened_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
