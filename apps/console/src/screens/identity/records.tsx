import { IdLink } from '../../components/links';
import { EmptyState, Section } from '../../components/page';
import { Ago, IdChip, StatusBadge } from '../../components/values';
import { describeLink, shownValue } from '../../components/words';
import type { Explanation } from '../../data/api';
import { useSourceName } from '../../data/queries';
import styles from './records.module.css';

type LinkedRecord = Explanation['records'][number];

/** The records of the identity with the evidence that each is the same person, and their values side by side. */
export function Records({ explanation }: { explanation: Explanation }) {
  const { records } = explanation;
  if (records.length === 0) return <EmptyState title="No records">No source lists this person.</EmptyState>;
  return (
    <>
      <ul className={styles.cards}>
        {records.map((record) => (
          <li key={record.id}>
            <RecordCard record={record} />
          </li>
        ))}
      </ul>
      <SideBySide explanation={explanation} />
    </>
  );
}

function RecordCard({ record }: { record: LinkedRecord }) {
  const sourceName = useSourceName();
  // A user has no screen beside this one.
  const { id, kind, connector_id, external_id, status, evidence } = record;
  return (
    <article className={styles.card}>
      <header className={styles.head}>
        <strong dir="auto">{sourceName(connector_id)}</strong>
        <span className={styles.kind}>{kind.replace('_', ' ')}</span>
        <StatusBadge status={status} />
      </header>
      <p className={styles.external} dir="auto">
        {kind === 'user' ? external_id : <IdLink id={id}>{external_id}</IdLink>}
      </p>
      <div className={styles.link}>
        <p className={styles.because}>{describeLink(record)}</p>
        {evidence?.values && evidence.values.length > 0 && (
          <ul className={styles.evidence}>
            {evidence.values.map(({ field, value, other }) => (
              <li key={field}>
                <code>{field}</code>
                <span dir="auto">{value ?? '—'}</span>
                <span className={styles.same}>{value === other ? '=' : '≈'}</span>
                <span dir="auto">{other ?? '—'}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <footer className={styles.foot}>
        <IdChip id={id} />
        {evidence && (
          <span>
            linked <Ago at={evidence.at} />
          </span>
        )}
      </footer>
    </article>
  );
}

/** One column for each source, the winning value of each row marked. */
function SideBySide({ explanation: { fields, records } }: { explanation: Explanation }) {
  const sourceName = useSourceName();
  const sources = [...new Set(records.map(({ connector_id }) => connector_id))];
  return (
    <Section title="Side by side" flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label="Values of each source">
        <table className={styles.table} style={{ minWidth: 176 + 200 * sources.length }}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              {sources.map((source) => (
                <th key={source} scope="col" dir="auto">
                  {sourceName(source)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map(({ field, winner, over }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                {sources.map((source) => {
                  const values = [winner, ...over].filter(
                    ({ connector_id, value }) => connector_id === source && value,
                  );
                  const wins = winner.connector_id === source;
                  const differs = !wins && values.length > 0 && !values.some(({ value }) => value === winner.value);
                  return (
                    <td key={source} className={wins ? styles.wins : differs ? styles.differs : undefined} dir="auto">
                      {values.map(({ value }) => shownValue(value)).join(', ') || (
                        <span className={styles.none}>—</span>
                      )}
                      {wins && <span className="visually-hidden"> (wins)</span>}
                      {differs && <span className="visually-hidden"> (differs)</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className={styles.legend}>
        <span className={styles.wins}>winning value</span> <span className={styles.differs}>differs from it</span>
      </p>
    </Section>
  );
}
