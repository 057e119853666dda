import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { FilterBar, SearchField, SelectFilter } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { IdChip } from '../../components/id-chip';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { type Tone, wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { answerOf, api, type MachineIdentity } from '../../data/api';
import { cursorPages, itemsOf } from '../../data/pages';
import { classifications, type MachinesSearch, risks, statuses } from './machines-search';

const route = getRouteApi('/signed-in/$tenantId/machines');

const machinesQuery = (tenantId: string, { q, status, kind, risk }: MachinesSearch) =>
  cursorPages(['machines', tenantId, { q, status, kind, risk }], (cursor) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/machine-identities', {
        params: {
          path: { tenantId },
          query: { q, status, classification: kind, min_risk: risk && Number(risk), limit: 50, cursor },
        },
      }),
    ),
  );

const columns: readonly Column<MachineIdentity>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ display_name }) => <span dir="auto">{display_name}</span>,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '150px',
    from: 'medium',
    cell: ({ classification }) => wordsOf(classification),
  },
  { id: 'status', header: 'Status', width: '140px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'risk',
    header: 'Risk',
    width: '80px',
    align: 'end',
    cell: ({ risk_score, risk_factors }) =>
      risk_score === undefined ? (
        '—'
      ) : (
        <span title={risk_factors?.map((factor) => String((factor as { factor?: unknown }).factor)).join(', ')}>
          <StatusBadge tone={toneOfRisk(risk_score)}>{risk_score}</StatusBadge>
        </span>
      ),
  },
  {
    id: 'owner',
    header: 'Owner',
    width: '220px',
    from: 'medium',
    cell: ({ owned_by }) =>
      owned_by ? (
        <Link
          from="/$tenantId/machines"
          to="/$tenantId/people/$identityId"
          params={{ identityId: owned_by }}
          className={rowLink}
        >
          {owned_by.slice(0, 12)}…{owned_by.slice(-4)}
        </Link>
      ) : (
        'No owner'
      ),
  },
  { id: 'id', header: 'Id', width: '200px', from: 'wide', cell: ({ id }) => <IdChip id={id} /> },
];

function toneOfRisk(score: number): Tone {
  return score >= 80 ? 'bad' : score >= 50 ? 'warn' : 'neutral';
}

export function MachinesScreen() {
  const { tenantId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(machinesQuery(tenantId, filters));
  const set = (change: MachinesSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const first = query.data?.pages[0];
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      title="Machines"
      description={first && `${formatCount(first.total, first.total_is_estimate)} service accounts, keys and workloads`}
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/machine-identities`}
          cli="idsync machines list"
          json={query.data?.pages[0]}
        />
      }
    >
      <FilterBar>
        <SearchField
          label="Search machines"
          placeholder="Name"
          value={filters.q ?? ''}
          onChange={(q) => set({ q: q || undefined })}
        />
        <SelectFilter
          label="Risk"
          value={filters.risk}
          choices={risks.map((value) => ({ value, label: `${value} or more` }))}
          onChange={(risk) => set({ risk: risk as MachinesSearch['risk'] })}
        />
        <SelectFilter
          label="Kind"
          value={filters.kind}
          choices={classifications.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(kind) => set({ kind: kind as MachinesSearch['kind'] })}
        />
        <SelectFilter
          label="Status"
          value={filters.status}
          choices={statuses.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(status) => set({ status: status as MachinesSearch['status'] })}
        />
      </FilterBar>
      <Section title="Machines" untitled flush>
        <DataTable
          label="Machines"
          columns={columns}
          rows={itemsOf(query.data)}
          rowKey={({ id }) => id}
          query={query}
          empty={
            isFiltered ? (
              <EmptyState title="No machine matches" />
            ) : (
              <EmptyState title="No machine yet">
                Service accounts, keys and workloads appear when a source with machine identities has been read.
              </EmptyState>
            )
          }
        />
      </Section>
    </Page>
  );
}
