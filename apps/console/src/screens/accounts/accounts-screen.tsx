import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Column, ownLink, rowLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { ListScreen } from '../../components/list-screen';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { type Account, call } from '../../data/api';
import { useConnectorNames, useSourceChoices } from '../../data/connectors';
import { cursorPages } from '../../data/pages';
import { type AccountsSearch, statuses } from './accounts-search';

const route = getRouteApi('/signed-in/$tenantId/accounts');
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
  {
    id: 'login',
    header: 'Account',
    width: 'minmax(0, 2fr)',
    cell: ({ id, identifier, external_id }) => (
      <Link
        from="/$tenantId/accounts"
        to="/$tenantId/accounts/$accountId"
        params={{ accountId: id }}
        className={rowLink}
        dir="auto"
      >
        {identifier ?? external_id}
      </Link>
    ),
  },
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 1.5fr)',
    from: 'medium',
    cell: ({ display_name }) => <span dir="auto">{display_name ?? '—'}</span>,
  },
  {
    id: 'source',
    header: 'Source',
    width: 'minmax(0, 1fr)',
    from: 'medium',
    cell: ({ source_system_id }) => (source_system_id ? sourceName(source_system_id) : '—'),
  },
  { id: 'status', header: 'Status', width: '120px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'person',
    header: 'Person',
    width: '120px',
    from: 'small',
    cell: ({ person_id }) =>
      person_id ? (
        <Link
          from="/$tenantId/accounts"
          to="/$tenantId/people/$identityId"
          params={{ identityId: person_id }}
          className={ownLink}
        >
          Matched
        </Link>
      ) : (
        <StatusBadge tone="warn">Unmatched</StatusBadge>
      ),
  },
  {
    id: 'updated',
    header: 'Changed',
    width: '110px',
    align: 'end',
    from: 'wide',
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

export function AccountsScreen() {
  const { tenantId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(accountsQuery(tenantId, search));
  const sources = useSourceChoices(tenantId);
  const sourceName = useConnectorNames(tenantId);
  return (
    <ListScreen<Account, AccountsSearch>
      title="Accounts"
      api={`/admin/v1/tenants/${tenantId}/accounts`}
      parameters={search}
      cli={`idsync accounts list${search.matched === 'false' ? ' --unmatched' : ''}`}
      filters={[
        { of: 'q', label: 'Search accounts', placeholder: 'Login, name or mail' },
        { of: 'matched', label: 'Person', choices: matchChoices },
        { of: 'status', label: 'Status', choices: choicesOf(statuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      search={search}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      columns={columnsOf(sourceName)}
      rowKey={({ id }) => id}
      query={query}
      noMatch={<EmptyState title="No account matches" />}
      nothing={<EmptyState title="No account yet">Accounts appear when a source of accounts has been read.</EmptyState>}
    />
  );
}
