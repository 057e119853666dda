import { Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import styles from './tabs.module.css';

interface TabLinksProps<View extends string> {
  label: string;
  /** Names of the views; the first one is shown without a parameter of the URL. */
  views: Partial<Record<View, string>>;
  current: View;
}

/** Links that look like tabs; each is a URL with the parameter `view`. */
export function TabLinks<View extends string>({ label, views, current }: TabLinksProps<View>) {
  const tabs = useRef<HTMLElement>(null);
  // On a narrow window the tabs scroll, and the current one may begin outside of it.
  useLayoutEffect(() => {
    const nav = tabs.current;
    const shown = nav?.querySelector('[aria-current]');
    if (nav && shown) nav.scrollLeft = shown.getBoundingClientRect().right - nav.getBoundingClientRect().right;
  }, []);
  return (
    <nav ref={tabs} className={styles.tabs} aria-label={label}>
      {Object.entries<string | undefined>(views).map(([view, name], index) => (
        <Link
          key={view}
          to="."
          search={(old: object) => ({ ...old, view: index === 0 ? undefined : view }) as never}
          className={styles.tab}
          // The other parameters of the URL do not decide which tab is current.
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={view === current ? 'page' : undefined}
          resetScroll={false}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
