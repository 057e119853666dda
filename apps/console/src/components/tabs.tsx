import type { ReactNode } from 'react';
import styles from './tabs.module.css';

/** Links that look like tabs; each is a URL. Mark the current one with `aria-current="page"`, as TanStack's `Link` does. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

export const tabLink = styles.tab;
