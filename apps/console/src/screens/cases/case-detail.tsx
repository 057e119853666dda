import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { Button } from '../../components/button';
import { apartWords, meanwhileOf, questionOf, recordName } from '../../components/describe-case';
import { IdLink } from '../../components/links';
import { ErrorState, Section } from '../../components/page';
import { Ago, IdChip, StatusBadge } from '../../components/values';
import { shownValue } from '../../components/words';
import { type ReviewCase, read, useTenantId } from '../../data/api';
import { useSourceName } from '../../data/queries';
import styles from './case-detail.module.css';
import { caseStatusWords, rowsOf } from './case-rows';

interface CaseDetailProps {
  /** The case as the list has it, until its compared values have arrived. */
  listed: ReviewCase;
  /** Decides by the key of a decision; absent if the case cannot be decided. */
  onDecide?: (key: string) => void;
  /** Reverts the operation of a decision; absent if that is not allowed. */
  onUndo?: (operationId: string) => void;
}

/** The record beside its candidates, with the values that agree and differ. */
export function CaseDetail({ listed, onDecide, onUndo }: CaseDetailProps) {
  const tenantId = useTenantId();
  const sourceName = useSourceName();
  const { data, error, refetch } = useQuery({
    ...read('cases', 'GET /cases/{caseId}', { tenantId, caseId: listed.id }),
    staleTime: 30_000,
  });
  const shown = data ?? listed;
  const { record, candidates, reason, status, closed_at, operation_id } = shown;
  const isOpen = status === 'open';
  const rows = rowsOf(shown);
  return (
    <Section
      title={recordName(record)}
      actions={
        <StatusBadge status={status}>
          {isOpen ? undefined : caseStatusWords[status as keyof typeof caseStatusWords]}
        </StatusBadge>
      }
      flush
    >
      <div className={styles.about}>
        <p className={styles.reason} dir="auto">
          {questionOf(shown)}
        </p>
        <p className={styles.why}>
          Evidence: {reason}. {isOpen && meanwhileOf(shown)}
        </p>
        <p className={styles.record}>
          <span dir="auto">{sourceName(record.connector_id)}</span>
          <code dir="auto">{record.external_id}</code>
          <IdChip id={record.id} />
        </p>
      </div>
      {error && <ErrorState error={error} onRetry={() => refetch()} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label="Record and candidates">
        <table
          className={candidates.length > 1 ? `${styles.table} ${styles.many}` : styles.table}
          style={{ '--columns': candidates.length + 1 } as CSSProperties}
        >
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">This record</th>
              {candidates.map(({ identity_id, display_name, score }, index) => (
                <th key={identity_id} scope="col">
                  <span className={styles.candidate}>
                    <kbd>{index + 1}</kbd>
                    <IdLink id={identity_id} dir="auto">
                      {display_name ?? identity_id}
                    </IdLink>
                    {score < 1 && <span className={styles.score}>{Math.round(score * 100)} %</span>}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ field, value, others }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td data-of="This record" dir="auto">
                  {shownValue(value)}
                </td>
                {others.map((other, index) => (
                  <td
                    key={candidates[index]?.identity_id}
                    className={classOf(other.agrees)}
                    data-of={candidates[index]?.display_name ?? candidates[index]?.identity_id}
                    dir="auto"
                  >
                    {shownValue(other.value)}
                    {other.agrees !== undefined && (
                      <span className={styles.mark}>{other.agrees ? ' = same' : ' ≠ differs'}</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {onDecide && (
        <div className={styles.decisions}>
          {candidates.map(({ identity_id, display_name }, index) => (
            <Button
              key={identity_id}
              look={index === 0 ? 'primary' : 'plain'}
              onClick={() => onDecide(String(index + 1))}
            >
              <span dir="auto">Same as {display_name ?? identity_id}</span> <kbd>{index + 1}</kbd>
            </Button>
          ))}
          <Button onClick={() => onDecide('n')}>
            {apartWords(shown).action} <kbd>n</kbd>
          </Button>
          <Button look="quiet" onClick={() => onDecide('i')}>
            Ignore <kbd>i</kbd>
          </Button>
        </div>
      )}
      {!isOpen && (
        <div className={styles.decisions}>
          <span className={styles.decided}>
            {closed_at && (
              <>
                Decided <Ago at={closed_at} />
              </>
            )}
          </span>
          {onUndo && operation_id && <Button onClick={() => onUndo(operation_id)}>Undo the decision</Button>}
        </div>
      )}
    </Section>
  );
}

function classOf(agrees: boolean | undefined): string | undefined {
  if (agrees === undefined) return styles.none;
  return agrees ? styles.agrees : styles.differs;
}
