import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { FilterBar, SelectFilter } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { connectorsQuery, useConnectorNames } from '../../data/connectors';
import { itemsOf } from '../../data/pages';
import { durationOf, kindOf } from './describe-run';
import { Progress } from './progress';
import type { OperatorJob } from './runs-queries';
import { runsQuery } from './runs-queries';
import { type RunsSearch, statuses } from './runs-search';

const route = getRouteApi('/signed-in/$tenantId/runs');

const columnsOf = (sourceName: (id: string) => string): readonly Column<OperatorJob>[] => [
  {
    id: 'source',
    header: 'Source',
    width: 'minmax(0, 2fr)',
    cell: ({ job_id, connector_id }) => (
      <Link
        from="/$tenantId/runs"
        to="/$tenantId/runs/$jobId"
        params={{ jobId: job_id }}
        className={rowLink}
        dir="auto"
      >
        {sourceName(connector_id)}
      </Link>
    ),
  },
  { id: 'kind', header: 'Reads', width: '190px', from: 'medium', cell: kindOf },
  { id: 'status', header: 'Status', width: '150px', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'progress', header: 'Progress', width: '130px', from: 'wide', cell: (job) => <Progress job={job} /> },
  {
    id: 'records',
    header: 'Records',
    width: '100px',
    align: 'end',
    from: 'medium',
    cell: ({ records_read }) => formatCount(records_read),
  },
  {
    id: 'errors',
    header: 'Errors',
    width: '80px',
    align: 'end',
    from: 'wide',
    cell: ({ records_failed }) => (records_failed > 0 ? formatCount(records_failed) : '—'),
  },
  {
    id: 'duration',
    header: 'Took',
    width: '110px',
    align: 'end',
    from: 'wide',
    cell: (job) => durationOf(job, Date.now()) ?? '—',
  },
  {
    id: 'created',
    header: 'Requested',
    width: '110px',
    align: 'end',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

export function RunsScreen() {
  const { tenantId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(runsQuery(tenantId, filters));
  const { data: connectors } = useQuery(connectorsQuery(tenantId));
  const sourceName = useConnectorNames(tenantId);
  const set = (change: RunsSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const first = query.data?.pages[0];
  return (
    <Page
      title="Runs"
      description={first && `${formatCount(first.total)} runs, the newest first`}
      actions={
        <CopyAs path={`/admin/v1/tenants/${tenantId}/sync-jobs`} cli="idsync jobs list" json={query.data?.pages[0]} />
      }
    >
      <FilterBar>
        <SelectFilter
          label="Status"
          value={filters.status}
          choices={statuses.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(status) => set({ status: status as RunsSearch['status'] })}
        />
        <SelectFilter
          label="Source"
          value={filters.source}
          choices={(connectors?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(source) => set({ source })}
        />
      </FilterBar>
      <Section title="Runs" untitled flush>
        <DataTable
          label="Runs"
          columns={columnsOf(sourceName)}
          rows={itemsOf(query.data)}
          rowKey={({ job_id }) => job_id}
          query={query}
          empty={
            <EmptyState title="No run">A run starts by a schedule, an API request or “Run now” of a source.</EmptyState>
          }
        />
      </Section>
    </Page>
  );
}
