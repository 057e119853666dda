import { type ComponentProps, type ReactNode, useState } from 'react';
import { useFilters } from '../data/api';
import { buttonClass, Icon } from './button';
import { DataTable } from './data-table';
import { FormDialog } from './dialog';
import { type Choice, FilterBar, SearchField, SelectFilter, TextField } from './fields';
import { formatCount } from './format-time';
import { MenuItem, PopupMenu } from './menu';
import menu from './menu.module.css';
import type { EmptyStateProps } from './page';
import { Screen } from './screen';

/** A filter of the list: a text, or one of a few choices. */
interface ListFilter<Search> {
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

type TableProps<Row> = ComponentProps<typeof DataTable<Row>>;

interface ListScreenProps<Row, Search extends object>
  extends Pick<TableProps<Row>, 'columns' | 'rowKey'>,
    Pick<ComponentProps<typeof Screen>, 'title' | 'beside' | 'description' | 'actions'> {
  /** Path of the request below the tenant without its query, and the query. */
  api: string;
  parameters: Readonly<Record<string, string | undefined>>;
  /** The command that lists the same. */
  cli: string;
  filters: readonly ListFilter<Search>[];
  /** Key of the filters that this browser keeps; absent if it keeps none. */
  saved?: string;
  query: NonNullable<TableProps<Row>['query']> & { data: { pages: ListPage<Row>[] } | undefined };
  /** Shown for an empty list without filters, and with filters. */
  nothing: EmptyStateProps;
  noMatch?: EmptyStateProps;
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
  noMatch = { title: 'Nothing matches', text: 'Remove a filter to see more.' },
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

interface SavedFiltersProps<Search extends object> {
  of: string;
  search: Search;
  onApply: (change: Search) => unknown;
}

/** Filters of the list that this browser keeps by name. */
function SavedFilters<Search extends object>({ of, search, onApply }: SavedFiltersProps<Search>) {
  const [kept, setKept] = useState(() => keptFilters(of));
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
  const keep = async () => {
    keepFilter(of, { name: name.trim(), search: given as Record<string, string> });
    setKept(keptFilters(of));
    setNaming(false);
    setName('');
  };
  const apply = (filter: KeptFilter) => {
    const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    onApply({ ...none, ...filter.search } as Search);
  };
  return (
    <>
      <PopupMenu
        className={buttonClass({ look: 'quiet' })}
        trigger={
          <>
            Saved filters
            <Icon name="chevron" />
          </>
        }
        align="start"
      >
        {kept.map((filter) => (
          <MenuItem key={filter.name} onClick={() => apply(filter)}>
            <span className={menu.name} dir="auto">
              {filter.name}
            </span>
          </MenuItem>
        ))}
        {kept.length > 0 && <div className={menu.line} />}
        <MenuItem disabled={Object.keys(given).length === 0} onClick={() => setNaming(true)}>
          Save these filters…
        </MenuItem>
        {kept
          .filter((filter) => isSame(filter.search, given))
          .map(({ name: each }) => (
            <MenuItem
              key={each}
              onClick={() => {
                forgetFilter(of, each);
                setKept(keptFilters(of));
              }}
            >
              <span className={menu.name} dir="auto">
                Remove “{each}”
              </span>
            </MenuItem>
          ))}
      </PopupMenu>
      {isNaming && (
        <FormDialog
          title="Save these filters"
          action="Save"
          isReady={name.trim() !== ''}
          onClose={() => setNaming(false)}
          onSubmit={keep}
        >
          <TextField label="Name" value={name} onChange={setName} maxLength={60} hint="Kept in this browser." />
        </FormDialog>
      )}
    </>
  );
}

function isSame(a: object, b: object): boolean {
  const text = (value: object) => JSON.stringify(Object.entries(value).sort());
  return text(a) === text(b);
}

/** Filters of a list that the operator has named. They stay in this browser. */
interface KeptFilter {
  name: string;
  search: Record<string, string>;
}

const keyOf = (list: string) => `idsync.filters.${list}`;

function keptFilters(list: string): KeptFilter[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(list)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isKept) : [];
  } catch {
    return [];
  }
}

/** Keeps the filters; another one with this name is replaced. */
function keepFilter(list: string, { name, search }: KeptFilter): void {
  store(list, [...keptFilters(list).filter((kept) => kept.name !== name), { name, search }]);
}

function forgetFilter(list: string, name: string): void {
  store(
    list,
    keptFilters(list).filter((kept) => kept.name !== name),
  );
}

function store(list: string, filters: readonly KeptFilter[]): void {
  localStorage.setItem(keyOf(list), JSON.stringify(filters));
}

function isKept(value: unknown): value is KeptFilter {
  const { name, search } = (value ?? {}) as Partial<KeptFilter>;
  return typeof name === 'string' && typeof search === 'object' && search !== null;
}
