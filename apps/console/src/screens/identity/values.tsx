import { useState } from 'react';
import { Button } from '../../components/button';
import { TenantLink } from '../../components/links';
import { EmptyState, Section } from '../../components/page';
import { Ago } from '../../components/values';
import { shownValue } from '../../components/words';
import type { Explanation, Identity } from '../../data/api';
import { useSourceName } from '../../data/queries';
import styles from './values.module.css';
import { type WinningValue, winningValues } from './winning-values';

interface ValuesProps {
  identity: Identity;
  /** Absent for an earlier moment: reasons are known for the present only. */
  explanation: Explanation | undefined;
}

/** The values that won, each with its source, and why it won over the others. */
export function Values({ identity, explanation }: ValuesProps) {
  const values = winningValues(identity);
  const explained = new Map(explanation?.fields.map((field) => [field.field, field]));
  const status = explained.get('status');
  return (
    <Section title="Values" untitled flush>
      {values.length === 0 && <EmptyState title="No values">No source says anything about this person.</EmptyState>}
      {values.length > 0 && (
        <div className={`${styles.value} ${styles.headers}`} aria-hidden="true">
          <span>Field</span>
          <span>Value</span>
          <span>Source that decides</span>
          <span className={styles.at}>Changed</span>
        </div>
      )}
      <ul>
        {status && (
          <Value
            value={{
              field: 'status',
              values: [status.winner.value],
              sourceId: status.winner.connector_id,
              at: status.winner.updated_at,
            }}
            why={status}
          />
        )}
        {values.map((value) => (
          <Value key={value.field} value={value} why={explained.get(value.field)} />
        ))}
      </ul>
    </Section>
  );
}

interface ValueProps {
  value: WinningValue;
  why: Explanation['fields'][number] | undefined;
}

function Value({ value: { field, values, sourceId, at }, why }: ValueProps) {
  const sourceName = useSourceName();
  const [isOpen, setOpen] = useState(false);
  const differing = why?.over.filter(({ value }) => value !== '' && !values.includes(value)).length ?? 0;
  return (
    <li className={styles.value}>
      <span className={styles.field}>{field}</span>
      <span className={styles.shown} dir="auto">
        {values.map(shownValue).join(', ')}
      </span>
      <span className={styles.source}>
        {sourceName(sourceId)}
        {differing > 0 && (
          <span className={styles.disputed}>{differing === 1 ? '1 differs' : `${differing} differ`}</span>
        )}
      </span>
      <span className={styles.at}>
        <Ago at={at} />
      </span>
      <span className={styles.why}>
        {why && (
          <Button look="quiet" small aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Why?<span className="visually-hidden"> {field}</span>
          </Button>
        )}
      </span>
      {isOpen && why && <Reason why={why} />}
    </li>
  );
}

function Reason({ why: { winner, over, because } }: { why: Explanation['fields'][number] }) {
  const sourceName = useSourceName();
  return (
    <div className={styles.reason}>
      <p>
        <strong>{sourceName(winner.connector_id)}</strong> decides: {because}.{' '}
        <TenantLink path="/rules?view=precedence">Source precedence</TenantLink>
      </p>
      {over.length > 0 && (
        <table className={styles.over}>
          <thead>
            <tr>
              <th scope="col">Instead of</th>
              <th scope="col">From</th>
              <th scope="col">Because</th>
            </tr>
          </thead>
          <tbody>
            {over.map(({ connector_id, value, because: reason }) => (
              <tr key={`${connector_id} ${value}`}>
                <td dir="auto">{shownValue(value)}</td>
                <td>{sourceName(connector_id)}</td>
                <td>{reason ?? '—'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
