import type { ReactNode } from 'react';
import styles from './facts.module.css';

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
