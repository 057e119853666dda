import { Link, useNavigate } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';
import { useTenantId } from '../data/api';
import { type Column, rowLink } from './data-table';
import { pathOfId } from './id-targets';
import styles from './links.module.css';

type Anchor = Pick<ComponentProps<'a'>, 'className' | 'title' | 'dir' | 'children'>;

/** A link to a path below the tenant with its query: `/findings?kind=unmatched_account`. Its text alone without a path. */
export function TenantLink({ path, children, ...rest }: Anchor & { path: string | undefined }) {
  const tenantId = useTenantId();
  return path === undefined ? (
    <span {...rest}>{children}</span>
  ) : (
    <Link {...targetOf(tenantId, path)} {...rest}>
      {children}
    </Link>
  );
}

/** A link to the screen that shows what an id names. */
export function IdLink({ id, ...rest }: Anchor & { id: string }) {
  return <TenantLink path={pathOfId(id)} {...rest} />;
}

/** A column whose text opens the screen of the row, or of another `id`, by a click anywhere in it. */
export function linkColumn<Row>(
  header: string,
  width: string,
  text: (keyof Row & string) | ((row: Row) => ReactNode),
  id = 'id' as keyof Row,
): Column<Row> {
  const cell = (row: Row) => (
    <IdLink id={String(row[id])} className={rowLink} dir="auto">
      {typeof text === 'string' ? (row[text] as ReactNode) : text(row)}
    </IdLink>
  );
  return { header, width, cell };
}

/** Opens a path below the tenant. */
export function useOpenPath(): (path: string) => Promise<void> {
  const navigate = useNavigate();
  const tenantId = useTenantId();
  return (path) => navigate(targetOf(tenantId, path));
}

function targetOf(tenantId: string, path: string): { to: string; search: Record<string, string> } {
  const { pathname, searchParams } = new URL(path, location.origin);
  return { to: `/${tenantId}${pathname}`, search: Object.fromEntries(searchParams) };
}

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
