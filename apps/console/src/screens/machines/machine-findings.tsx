import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { Section } from '../../components/page';
import { EmptyState, ErrorState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import styles from './machine.module.css';
import { machineFindingsQuery } from './machine-queries';

/** Findings about the machine; they are decided on the screen of findings. */
export function MachineFindings({ tenantId, machineId }: { tenantId: string; machineId: string }) {
  const { data, error, refetch } = useQuery(machineFindingsQuery(tenantId, machineId));
  const findings = data?.data ?? [];
  return (
    <Section
      title="Findings"
      actions={
        findings.length > 0 && (
          <Link
            from="/$tenantId/machines/$machineId"
            to="/$tenantId/findings"
            search={{ subject: machineId }}
            className={buttonClass({ look: 'quiet', small: true })}
          >
            Open in the list
          </Link>
        )
      }
      flush
    >
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {data && findings.length === 0 && <EmptyState title="No finding about this machine" />}
      <ul>
        {findings.map(({ id, kind, state, opened_at }) => (
          <li key={id} className={`${styles.row} ${styles.factor}`}>
            <Link
              from="/$tenantId/machines/$machineId"
              to="/$tenantId/findings"
              search={{ subject: machineId, state: state === 'open' ? undefined : state }}
              className={styles.title}
            >
              {wordsOf(kind)}
            </Link>
            <span className={styles.aside}>
              <StatusBadge status={state} /> <Ago at={opened_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
