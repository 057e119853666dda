import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './tabs.module.css';

/** Links that look like tabs; each is a URL. Mark the current one with `aria-current="page"`, as TanStack's `Link` does. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const tabs = useRef<HTMLElement>(null);
  // On a narrow window the tabs scroll, and the current one may begin outside of it.
  useLayoutEffect(() => {
    const nav = tabs.current;
    const current = nav?.querySelector('[aria-current]');
    if (nav && current) nav.scrollLeft = current.getBoundingClientRect().right - nav.getBoundingClientRect().right;
  }, []);
  return (
    <nav ref={tabs} className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

export const tabLink = styles.tab;
