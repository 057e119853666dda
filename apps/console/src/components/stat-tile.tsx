import type { ReactNode } from 'react';
import styles from './stat-tile.module.css';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** A line below the number. */
  about?: ReactNode;
  tone?: 'ok' | 'warn' | 'bad';
  children?: ReactNode;
}

export function StatTile({ label, value, about, tone, children }: StatTileProps) {
  return (
    <div className={styles.tile}>
      <span className={styles.label}>{label}</span>
      <span className={tone ? `${styles.value} ${styles[tone]}` : styles.value}>{value}</span>
      {about && <span className={styles.about}>{about}</span>}
      {children}
    </div>
  );
}

export function StatTiles({ children }: { children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>;
}
