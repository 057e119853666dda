import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Column, rowLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { ListScreen } from '../../components/list-screen';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useConnectorNames, useSourceChoices } from '../../data/connectors';
import { itemsOf } from '../../data/pages';
import { CancelRuns } from './cancel-runs';
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
  { id: 'kind', header: 'Reads', width: 'minmax(0, 1fr)', from: 'medium', cell: kindOf },
  { id: 'status', header: 'Status', width: '150px', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'progress', header: 'Progress', width: '120px', from: 'wide', cell: (job) => <Progress job={job} /> },
  {
    id: 'records',
    header: 'Records',
    width: '80px',
    align: 'end',
    from: 'medium',
    cell: ({ records_read }) => formatCount(records_read),
  },
  {
    id: 'errors',
    header: 'Errors',
    width: '60px',
    align: 'end',
    from: 'wide',
    cell: ({ records_failed }) => (records_failed > 0 ? formatCount(records_failed) : '—'),
  },
  {
    id: 'duration',
    header: 'Took',
    width: '90px',
    align: 'end',
    from: 'wide',
    cell: (job) => durationOf(job, Date.now()) ?? '—',
  },
  {
    id: 'created',
    header: 'Requested',
    width: '110px',
    align: 'end',
    from: 'small',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

export function RunsScreen() {
  const { tenantId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(runsQuery(tenantId, search));
  const sources = useSourceChoices(tenantId);
  const sourceName = useConnectorNames(tenantId);
  return (
    <ListScreen<OperatorJob, RunsSearch>
      title="Runs"
      api={`/admin/v1/tenants/${tenantId}/sync-jobs`}
      parameters={{ status: search.status, connector_id: search.source }}
      cli="idsync jobs list"
      filters={[
        { of: 'status', label: 'Status', choices: choicesOf(statuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      search={search}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      saved="runs"
      columns={columnsOf(sourceName)}
      rowKey={({ job_id }) => job_id}
      query={query}
      noMatch={<EmptyState title="No run matches" />}
      nothing={
        <EmptyState title="No run">A run starts by a schedule, an API request or “Run now” of a source.</EmptyState>
      }
      actions={<CancelRuns tenantId={tenantId} runs={itemsOf(query.data)} sourceName={sourceName} />}
    />
  );
}
