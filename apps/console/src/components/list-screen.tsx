import type { ReactNode } from 'react';
import { useFilters } from '../data/use-tenant';
import { type Column, DataTable } from './data-table';
import { type Choice, FilterBar, SearchField, SelectFilter } from './fields';
import { formatCount } from './format-time';
import { SavedFilters } from './saved-filters';
import { Screen } from './screen';
import { EmptyState } from './states';

/** A filter of the list: a text, or one of a few choices. */
export interface ListFilter<Search> {
  /** Its parameter of the URL. */
  of: keyof Search & string;
  label: string;
  placeholder?: string;
  choices?: readonly Choice[];
  /** The choice without a parameter; any value if absent. */
  otherwise?: string;
  autoFocus?: boolean;
  /** A short text, such as an id. */
  narrow?: boolean;
}

interface ListPage<Row> {
  data: Row[];
  total?: number;
  total_is_estimate?: boolean;
}

interface ListScreenProps<Row, Search extends object> {
  title: string;
  beside?: ReactNode;
  /** Below the title; how many there are, if absent. */
  description?: ReactNode;
  /** Path of the request below the tenant without its query, and the query. */
  api: string;
  parameters: Readonly<Record<string, string | undefined>>;
  /** The command that lists the same. */
  cli: string;
  filters: readonly ListFilter<Search>[];
  /** Key of the filters that this browser keeps; absent if it keeps none. */
  saved?: string;
  columns: readonly Column<Row>[];
  rowKey?: (row: Row) => string;
  query: {
    data: { pages: ListPage<Row>[] } | undefined;
    isPending: boolean;
    error: Error | null;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  /** Shown for an empty list without filters, and with filters. */
  nothing: ReactNode;
  noMatch?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A screen that lists items: filters that are in the URL, a table of any length, and the request of both. */
export function ListScreen<Row, Search extends object>({
  title,
  beside,
  description,
  api,
  parameters,
  cli,
  filters,
  saved,
  columns,
  rowKey,
  query,
  nothing,
  noMatch = <EmptyState title="Nothing matches">Remove a filter to see more.</EmptyState>,
  actions,
  children,
}: ListScreenProps<Row, Search>) {
  const [search, onSearch] = useFilters<Search>();
  const [first] = query.data?.pages ?? [];
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  // The route reads values of the URL as text, and leaves out those that it does not know.
  const set = (of: string, value: string | undefined) => onSearch({ [of]: value || undefined } as Search);
  return (
    <Screen
      title={title}
      beside={beside}
      description={description ?? (first?.total !== undefined && totalOf(first, isFiltered))}
      api={text ? `${api}?${text}` : api}
      cli={cli}
      json={first}
      actions={actions}
    >
      <FilterBar>
        {filters.map(({ of, label, placeholder, choices, otherwise, autoFocus, narrow }) => {
          const value = search[of] as string | undefined;
          return choices ? (
            <SelectFilter
              key={of}
              label={label}
              any={otherwise === undefined ? 'Any' : undefined}
              value={value ?? otherwise}
              choices={choices}
              onChange={(chosen) => set(of, chosen === otherwise ? undefined : chosen)}
            />
          ) : (
            <SearchField
              key={of}
              label={label}
              placeholder={placeholder}
              value={value ?? ''}
              onChange={(typed) => set(of, typed)}
              autoFocus={autoFocus}
              narrow={narrow}
            />
          );
        })}
        {saved && <SavedFilters of={saved} search={search} onApply={onSearch} />}
      </FilterBar>
      <DataTable
        title={title}
        untitled
        columns={columns}
        rowKey={rowKey}
        query={query}
        empty={isFiltered ? noMatch : nothing}
      />
      {children}
    </Screen>
  );
}

function totalOf({ total = 0, total_is_estimate }: ListPage<unknown>, isFiltered: boolean): string {
  return `${formatCount(total, total_is_estimate)} ${isFiltered ? 'found' : 'in total'}`;
}
