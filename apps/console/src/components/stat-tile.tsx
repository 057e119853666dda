import type { ReactNode } from 'react';
import styles from './stat-tile.module.css';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** A line below the number. */
  about?: ReactNode;
  tone?: 'ok' | 'warn' | 'bad';
  /** A link to what is counted. */
  link?: (props: { className: string | undefined; children: string }) => ReactNode;
  children?: ReactNode;
}

export function StatTile({ label, value, about, tone, link, children }: StatTileProps) {
  return (
    <div className={styles.tile}>
      <span className={styles.label}>{link ? link({ className: styles.link, children: label }) : label}</span>
      <span className={tone ? `${styles.value} ${styles[tone]}` : styles.value}>{value}</span>
      {about && <span className={styles.about}>{about}</span>}
      {children}
    </div>
  );
}

export function StatTiles({ children }: { children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>;
}
