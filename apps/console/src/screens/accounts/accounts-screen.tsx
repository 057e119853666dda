import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { FilterBar, SearchField, SelectFilter } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { type Account, answerOf, api } from '../../data/api';
import { connectorsQuery, useConnectorNames } from '../../data/connectors';
import { cursorPages, itemsOf } from '../../data/pages';
import { type AccountsSearch, statuses } from './accounts-search';

const route = getRouteApi('/signed-in/$tenantId/accounts');

const accountsQuery = (tenantId: string, { q, status, source, matched }: AccountsSearch) =>
  cursorPages(['accounts', tenantId, { q, status, source, matched }], (cursor) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/accounts', {
        params: { path: { tenantId }, query: { q, status, connector_id: source, matched, limit: 50, cursor } },
      }),
    ),
  );

const columnsOf = (sourceName: (id: string) => string): readonly Column<Account>[] => [
  {
    id: 'login',
    header: 'Account',
    width: 'minmax(0, 2fr)',
    cell: ({ identifier, external_id, person_id }) =>
      person_id ? (
        <Link
          from="/$tenantId/accounts"
          to="/$tenantId/people/$identityId"
          params={{ identityId: person_id }}
          className={rowLink}
          dir="auto"
        >
          {identifier ?? external_id}
        </Link>
      ) : (
        <span dir="auto">{identifier ?? external_id}</span>
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
    cell: ({ person_id }) =>
      person_id ? <StatusBadge tone="neutral">Matched</StatusBadge> : <StatusBadge tone="warn">Unmatched</StatusBadge>,
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
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(accountsQuery(tenantId, filters));
  const { data: connectors } = useQuery(connectorsQuery(tenantId));
  const sourceName = useConnectorNames(tenantId);
  const set = (change: AccountsSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const first = query.data?.pages[0];
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      title="Accounts"
      description={first && `${formatCount(first.total, first.total_is_estimate)} ${isFiltered ? 'found' : 'in total'}`}
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/accounts`}
          cli={`idsync accounts list${filters.matched === 'false' ? ' --unmatched' : ''}`}
          json={query.data?.pages[0]}
        />
      }
    >
      <FilterBar>
        <SearchField
          label="Search accounts"
          placeholder="Login, name or mail"
          value={filters.q ?? ''}
          onChange={(q) => set({ q: q || undefined })}
        />
        <SelectFilter
          label="Person"
          value={filters.matched}
          choices={[
            { value: 'true', label: 'Matched' },
            { value: 'false', label: 'Unmatched' },
          ]}
          onChange={(matched) => set({ matched: matched as AccountsSearch['matched'] })}
        />
        <SelectFilter
          label="Status"
          value={filters.status}
          choices={statuses.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(status) => set({ status: status as AccountsSearch['status'] })}
        />
        <SelectFilter
          label="Source"
          value={filters.source}
          choices={(connectors?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(source) => set({ source })}
        />
      </FilterBar>
      <Section title="Accounts" untitled flush>
        <DataTable
          label="Accounts"
          columns={columnsOf(sourceName)}
          rows={itemsOf(query.data)}
          rowKey={({ id }) => id}
          query={query}
          empty={
            isFiltered ? (
              <EmptyState title="No account matches" />
            ) : (
              <EmptyState title="No account yet">Accounts appear when a source of accounts has been read.</EmptyState>
            )
          }
        />
      </Section>
    </Page>
  );
}
