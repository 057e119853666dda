import type { ReactNode } from 'react';
import styles from './facts.module.css';
import { shownValue } from './words';

/** A sentence in a narrow column would be a tall block of few words. */
function widthOf(value: ReactNode): string | undefined {
  const length = typeof value === 'string' ? value.length : 0;
  return length > 60 ? styles.whole : length > 28 ? styles.wide : undefined;
}

/** Pairs of a name and a value. Pairs without a value are left out. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  const shown = items.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  return (
    <dl className={styles.facts}>
      {shown.map(([name, value]) => (
        <div key={name} className={[styles.fact, widthOf(value)].filter(Boolean).join(' ')}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

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
