import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from './button';
import styles from './data-table.module.css';
import { ErrorState, Loading } from './states';

export interface Column<Row> {
  id: string;
  header: string;
  /** A track of CSS grid: `minmax(0, 2fr)`, `120px`. */
  width: string;
  align?: 'end';
  /** Hidden on windows that are narrower than this, most important columns last. */
  from?: 'small' | 'medium' | 'wide';
  /** Hidden on windows that are at least so wide, because another column takes its place. */
  until?: 'small' | 'medium' | 'wide';
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  /** The result of `useQuery` or `useInfiniteQuery`, as far as the table needs it. */
  query: {
    isPending: boolean;
    error: Error | null;
    refetch: () => unknown;
    hasNextPage?: boolean;
    isFetchingNextPage?: boolean;
    fetchNextPage?: () => unknown;
  };
  /** Row that the keyboard has chosen. */
  current?: string;
}

const rowHeight = 36;
const overscan = 12;
// The sidebar takes a part of the window, and the first column must keep its width.
const windows = { small: '(min-width: 480px)', medium: '(min-width: 900px)', wide: '(min-width: 1200px)' };

function useMatches(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/**
 * A table of any length: only visible rows are in the document, and the next page is read when its end comes near. A link
 * in a cell with the class of `rowLink` covers its row.
 */
export function DataTable<Row>({ label, columns, rows, rowKey, empty, query, current }: DataTableProps<Row>) {
  const fits = {
    small: useMatches(windows.small),
    medium: useMatches(windows.medium),
    wide: useMatches(windows.wide),
  };
  const shown = columns.filter(({ from, until }) => (!from || fits[from]) && !(until && fits[until]));
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const { y = 0 } = body.current?.getBoundingClientRect() ?? {};
    setTop(y + scrollY);
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rowKey(rows[index] as Row),
    overscan,
    scrollMargin: top,
  });
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const { hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - overscan) fetchNextPage?.();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);

  if (query.isPending) return <Loading />;
  if (query.error && rows.length === 0) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (rows.length === 0 && !hasNextPage) return <>{empty}</>;
  const gridTemplateColumns = shown.map(({ width }) => width).join(' ');
  return (
    <>
      <div role="table" aria-label={label} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={styles.head} style={{ gridTemplateColumns }}>
            {shown.map(({ id, header, align }) => (
              <div key={id} role="columnheader" className={align && styles[align]}>
                {header}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={body} className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
          {visible.map(({ index, key, start }) => {
            const row = rows[index] as Row;
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                className={current === key ? `${styles.row} ${styles.current}` : styles.row}
                style={{ gridTemplateColumns, transform: `translateY(${start - top}px)` }}
              >
                {shown.map(({ id, cell, align }) => (
                  <div key={id} role="cell" className={align ? `${styles.cell} ${styles[align]}` : styles.cell}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {query.error && <ErrorState error={query.error} onRetry={() => fetchNextPage?.()} />}
      {hasNextPage && !query.error && (
        <div className={styles.more}>
          <Button look="quiet" small disabled={isFetchingNextPage} onClick={() => fetchNextPage?.()}>
            {isFetchingNextPage ? 'Loading more…' : 'Load more'}
          </Button>
        </div>
      )}
    </>
  );
}

/** Class of the link in a row that opens what the row shows. */
export const rowLink = styles.link;
/** Class of another link in such a row. */
export const ownLink = styles.own;
