import type { ReactNode } from 'react';
import styles from './stat-tile.module.css';
import { TenantLink } from './tenant-link';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** A line below the number. */
  about?: ReactNode;
  tone?: 'ok' | 'warn' | 'bad';
  /** The screen that shows what is counted, as a path below the tenant. */
  to?: { tenantId: string; path: string };
  children?: ReactNode;
}

export function StatTile({ label, value, about, tone, to, children }: StatTileProps) {
  return (
    <div className={styles.tile}>
      <span className={styles.label}>
        {to ? (
          <TenantLink {...to} className={styles.link}>
            {label}
          </TenantLink>
        ) : (
          label
        )}
      </span>
      <span className={tone ? `${styles.value} ${styles[tone]}` : styles.value}>{value}</span>
      {about && <span className={styles.about}>{about}</span>}
      {children}
    </div>
  );
}

export function StatTiles({ children }: { children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>;
}
