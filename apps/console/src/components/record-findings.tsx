import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { findingsAboutQuery } from '../data/findings';
import { buttonClass } from './button';
import styles from './detail-rows.module.css';
import { Section } from './page';
import { EmptyState, ErrorState } from './states';
import { wordsOf } from './status';
import { StatusBadge } from './status-badge';
import { Ago } from './time';

interface RecordFindingsProps {
  tenantId: string;
  recordId: string;
  /** As the text names it: "machine", "account". */
  noun: string;
}

/** Findings about a record; they are decided on the screen of findings. */
export function RecordFindings({ tenantId, recordId, noun }: RecordFindingsProps) {
  const { data, error, refetch } = useQuery(findingsAboutQuery(tenantId, recordId));
  const findings = data?.data ?? [];
  return (
    <Section
      title="Findings"
      actions={
        findings.length > 0 && (
          <Link
            to="/$tenantId/findings"
            params={{ tenantId }}
            search={{ subject: recordId }}
            className={buttonClass({ look: 'quiet', small: true })}
          >
            Open in the list
          </Link>
        )
      }
      flush
    >
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {data && findings.length === 0 && <EmptyState title={`No finding about this ${noun}`} />}
      <ul>
        {findings.map(({ id, kind, state, opened_at }) => (
          <li key={id} className={`${styles.row} ${styles.factor}`}>
            <Link
              to="/$tenantId/findings"
              params={{ tenantId }}
              search={{ subject: recordId, state: state === 'open' ? undefined : state }}
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
