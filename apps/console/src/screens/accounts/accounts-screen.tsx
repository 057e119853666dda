import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, ownLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { IdLink, linkColumn } from '../../components/links';
import { ListScreen } from '../../components/list-screen';
import { type Account, call, useFilters, useTenantId } from '../../data/api';
import { useSourceChoices, useSourceName } from '../../data/queries';
import { cursorPages } from '../../data/query-client';
import { type AccountsSearch, accountStatuses } from '../../data/searches';

const matchChoices = [
  { value: 'true', label: 'Matched' },
  { value: 'false', label: 'Unmatched' },
];

const accountsQuery = (tenantId: string, { q, status, source, matched }: AccountsSearch) =>
  cursorPages(['accounts', tenantId, { q, status, source, matched }], (cursor) =>
    call(
      'GET /accounts',
      { tenantId },
      { q, status, source, matched: matched && matched === 'true', limit: 50, cursor },
    ),
  );

const columnsOf = (sourceName: (id: string) => string): readonly Column<Account>[] => [
  linkColumn('Account', 'minmax(0, 2fr)', ({ identifier, external_id }) => identifier ?? external_id),
  { header: 'Name', width: 'minmax(0, 1.5fr)', from: 'medium', cell: 'display_name' },
  {
    header: 'Source',
    from: 'medium',
    cell: ({ source_system_id }) => source_system_id && sourceName(source_system_id),
  },
  { header: 'Status', as: 'status', cell: 'status' },
  {
    header: 'Person',
    width: '120px',
    from: 'small',
    cell: ({ person_id }) =>
      person_id ? (
        <IdLink id={person_id} className={ownLink}>
          Matched
        </IdLink>
      ) : (
        { word: 'Unmatched', tone: 'warn' }
      ),
  },
  { header: 'Changed', as: 'ago', from: 'wide', cell: 'updated_at' },
];

export function AccountsScreen() {
  const tenantId = useTenantId();
  const [search] = useFilters<AccountsSearch>();
  const query = useInfiniteQuery(accountsQuery(tenantId, search));
  const sources = useSourceChoices();
  const sourceName = useSourceName();
  return (
    <ListScreen<Account, AccountsSearch>
      title="Accounts"
      api="/accounts"
      parameters={search}
      cli={`idsync accounts list${search.matched === 'false' ? ' --unmatched' : ''}`}
      filters={[
        { of: 'q', label: 'Search accounts', placeholder: 'Login, name or mail' },
        { of: 'matched', label: 'Person', choices: matchChoices },
        { of: 'status', label: 'Status', choices: choicesOf(accountStatuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      columns={columnsOf(sourceName)}
      query={query}
      noMatch={{ title: 'No account matches' }}
      nothing={{ title: 'No account yet', text: 'Accounts appear when a source of accounts has been read.' }}
    />
  );
}
