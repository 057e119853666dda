import { type ReactNode, useSyncExternalStore } from 'react';
import { itemsOf } from '../data/query-client';
import { Button } from './button';
import styles from './data-table.module.css';
import { formatCount } from './format-time';
import { EmptyState, type EmptyStateProps, ErrorState, Loading, Section } from './page';
import { Ago, StatusBadge } from './values';
import { useVisibleRows } from './virtual-list';
import type { Tone } from './words';

/** A status that is none of the API. */
interface State {
  word: string;
  tone: Tone;
}

export interface Column<Row> {
  header: string;
  /** A track of CSS grid: `minmax(0, 2fr)`, `120px`; that of its kind if absent. */
  width?: string;
  /** How values are shown: how long ago a time was, as a number, as a status. Others are text, or elements. */
  as?: keyof typeof kinds;
  align?: 'start' | 'end';
  /** Hidden on windows that are narrower than this, most important columns last. */
  from?: keyof typeof windows;
  /** Hidden on windows that are at least so wide, because another column takes its place. */
  until?: keyof typeof windows;
  /** A field, or what the row shows. */
  cell: (keyof Row & string) | ((row: Row) => ReactNode | State);
  /** Shown without a value; a dash if absent. */
  none?: string;
}

interface DataTableProps<Row> {
  title: string;
  /** Name of the table for screen readers; the title if absent. */
  label?: string;
  /** The title is only for screen readers, if the page has one section. */
  untitled?: boolean;
  actions?: ReactNode;
  columns: readonly Column<Row>[];
  /** Those of the query, if absent. */
  rows?: readonly Row[];
  /** The id of the row, if absent. */
  rowKey?: (row: Row) => string;
  /** Shown without rows. */
  empty?: EmptyStateProps;
  /** The result of `useQuery` or `useInfiniteQuery`, as far as the table needs it; absent for rows that are known. */
  query?: {
    data: { pages: { data: Row[] }[] } | { data: Row[] } | undefined;
    isPending: boolean;
    error: Error | null;
    refetch: () => unknown;
    hasNextPage?: boolean;
    isFetchingNextPage?: boolean;
    fetchNextPage?: () => unknown;
  };
  /** Below the table. */
  children?: ReactNode;
}

const rowHeight = 36;
// The sidebar takes a part of the window, and the first column must keep its width.
const windows = { small: '(min-width: 480px)', medium: '(min-width: 900px)', wide: '(min-width: 1200px)' };
const kinds = {
  ago: { width: '110px', align: 'end' },
  count: { width: '90px', align: 'end' },
  status: { width: '120px', align: undefined },
} as const;
const known = { data: undefined, isPending: false, error: null, refetch: () => undefined };

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

/** A section with a table of any length. A link in a cell with the class of `rowLink` covers its row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { title, label = title, untitled, actions, children, ...table } = props;
  return (
    <Section title={title} untitled={untitled} actions={actions} flush>
      <Table label={label} {...table} />
      {children}
    </Section>
  );
}

type TableProps<Row> = Omit<DataTableProps<Row>, 'title' | 'untitled' | 'actions' | 'children'> & { label: string };

/** Only visible rows are in the document, and the next page is read when its end comes near. */
function Table<Row>({
  label,
  columns,
  query = known,
  rows = rowsOf(query.data),
  rowKey = idOf,
  empty,
}: TableProps<Row>) {
  const fits = { small: useMatches(windows.small), medium: useMatches(windows.medium), wide: useMatches(windows.wide) };
  const shown = columns
    .filter(({ from, until }) => (!from || fits[from]) && !(until && fits[until]))
    .map((column) => ({ ...column, ...placeOf(column) }));
  const { hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  const visible = useVisibleRows<HTMLDivElement>({
    count: rows.length,
    estimate: rowHeight,
    keyOf: (index) => rowKey(rows[index] as Row),
    onEnd: hasNextPage && !isFetchingNextPage ? fetchNextPage : undefined,
  });

  if (query.isPending) return <Loading />;
  if (query.error && rows.length === 0) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (rows.length === 0 && !hasNextPage) return empty ? <EmptyState {...empty} /> : null;
  const gridTemplateColumns = shown.map(({ width }) => width).join(' ');
  return (
    <>
      <div role="table" aria-label={label} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={styles.head} style={{ gridTemplateColumns }}>
            {shown.map(({ header, align }) => (
              <div key={header} role="columnheader" className={align === 'end' ? styles.end : undefined}>
                {header}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={visible.body} className={styles.rows} style={{ height: visible.height }}>
          {visible.rows.map(({ index, key, transform }) => (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className={styles.row}
              style={{ gridTemplateColumns, transform }}
            >
              {shown.map((column) => (
                <div
                  key={column.header}
                  role="cell"
                  className={column.align === 'end' ? `${styles.cell} ${styles.end}` : styles.cell}
                >
                  {shownIn(column, rows[index] as Row)}
                </div>
              ))}
            </div>
          ))}
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

function rowsOf<Row>(data: NonNullable<DataTableProps<Row>['query']>['data']): Row[] {
  return data && 'pages' in data ? itemsOf(data) : (data?.data ?? []);
}

const idOf = (row: unknown) => (row as { id: string }).id;

function placeOf<Row>({ as, width, align }: Column<Row>) {
  const kind = as && kinds[as];
  return { width: width ?? kind?.width ?? 'minmax(0, 1fr)', align: align ?? kind?.align };
}

function shownIn<Row>({ as, align, none = '—', cell }: Column<Row>, row: Row): ReactNode {
  const value = typeof cell === 'string' ? (row[cell] as ReactNode) : cell(row);
  if (value === undefined || value === null || value === '') return none;
  if (as === 'ago') return <Ago at={String(value)} />;
  if (as === 'count' && typeof value === 'number') return formatCount(value);
  if (typeof value === 'object' && 'tone' in value) return <StatusBadge tone={value.tone}>{value.word}</StatusBadge>;
  if (as === 'status') return <StatusBadge status={String(value)} />;
  // Text of people and sources begins where its column does; figures and words at the end of a row end there.
  if (typeof value !== 'string' || align === 'end') return value;
  return (
    <span dir="auto" title={value}>
      {value}
    </span>
  );
}

/** Class of the link in a row that opens what the row shows. */
export const rowLink = styles.link;
/** Class of another link in such a row. */
export const ownLink = styles.own;
