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
import type { Identity } from '../../data/api';
import { connectorsQuery } from '../../data/connectors';
import { itemsOf } from '../../data/pages';
import { peopleQuery } from '../../data/people';
import { attributeOf, nameOf } from '../../data/person';
import { type PeopleSearch, statuses } from './people-search';

const route = getRouteApi('/signed-in/$tenantId/people');

const columns: readonly Column<Identity>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: (identity) => (
      <Link
        from="/$tenantId/people"
        to="/$tenantId/people/$identityId"
        params={{ identityId: identity.id }}
        className={rowLink}
        dir="auto"
      >
        {nameOf(identity)}
      </Link>
    ),
  },
  {
    id: 'email',
    header: 'Mail',
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: (row) => attributeOf(row, 'email') ?? '—',
  },
  {
    id: 'title',
    header: 'Title',
    width: 'minmax(0, 1.5fr)',
    from: 'wide',
    cell: (row) => <span dir="auto">{attributeOf(row, 'job_title') ?? '—'}</span>,
  },
  { id: 'records', header: 'Records', width: '170px', from: 'medium', cell: recordsOf },
  { id: 'status', header: 'Status', width: '110px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'updated',
    header: 'Changed',
    width: '100px',
    from: 'wide',
    align: 'end',
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

function recordsOf({ users, accounts, machine_identities: machines, left_out }: Identity): string {
  const counts: [number, string, string][] = [
    [users.length + (left_out?.users ?? 0), 'user', 'users'],
    [accounts.length + (left_out?.accounts ?? 0), 'account', 'accounts'],
    [machines.length + (left_out?.machine_identities ?? 0), 'machine', 'machines'],
  ];
  return (
    counts
      .filter(([count]) => count > 0)
      .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
      .join(', ') || '—'
  );
}

export function PeopleScreen() {
  const { tenantId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(peopleQuery(tenantId, filters));
  const { data: connectors } = useQuery(connectorsQuery(tenantId));
  const set = (change: PeopleSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const first = query.data?.pages[0];
  const people = itemsOf(query.data);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const parameters = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== undefined));
  return (
    <Page
      title="People"
      description={first && `${formatCount(first.total, first.total_is_estimate)} ${isFiltered ? 'found' : 'in total'}`}
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/identities?${parameters}`}
          cli={`idsync identities list ${[...parameters].map(([name, value]) => `--${name} '${value}'`).join(' ')}`}
          json={query.data?.pages[0]}
        />
      }
    >
      <FilterBar>
        <SearchField
          label="Search people"
          placeholder="Name, mail, number or login"
          value={filters.q ?? ''}
          onChange={(q) => set({ q: q || undefined })}
          autoFocus
        />
        <SelectFilter
          label="Status"
          value={filters.status}
          choices={statuses.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(status) => set({ status: status as PeopleSearch['status'] })}
        />
        <SelectFilter
          label="Source"
          value={filters.source}
          choices={(connectors?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(source) => set({ source })}
        />
      </FilterBar>
      <Section title="Results" untitled flush>
        <DataTable
          label="People"
          columns={columns}
          rows={people}
          rowKey={({ id }) => id}
          query={query}
          empty={
            isFiltered ? (
              <EmptyState title="No person matches">
                Search by the beginning of a name, mail address, number or login. Deleted people are found with the
                status “Deleted”.
              </EmptyState>
            ) : (
              <EmptyState title="No people yet">People appear when the first source has been read.</EmptyState>
            )
          }
        />
      </Section>
    </Page>
  );
}
