import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Pairs of a name and a value. Pairs without a value are left out. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  const shown = items.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return (
    <dl className={styles.facts}>
      {shown.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
