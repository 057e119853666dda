import styles from './field-diff.module.css';
import { shownValue } from './shown-value';

export interface Change {
  field: string;
  from?: unknown;
  to?: unknown;
  /** Name of the source that says so. */
  source?: string;
}

/** Changed fields, the earlier value above or beside the new one. */
export function FieldDiff({ changes }: { changes: readonly Change[] }) {
  return (
    <ul className={styles.diff}>
      {changes.map(({ field, from, to, source }) => (
        <li key={field} className={styles.change}>
          <span className={styles.field}>{field}</span>
          <span className={styles.values}>
            {from !== undefined && (
              <del className={styles.from} dir="auto">
                <span className="visually-hidden">from </span>
                {shownValue(from)}
              </del>
            )}
            {to === undefined ? (
              <span className={styles.none}>no value</span>
            ) : (
              <ins className={styles.to} dir="auto">
                <span className="visually-hidden">to </span>
                {shownValue(to)}
              </ins>
            )}
            {source && <span className={styles.source}>{source}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
