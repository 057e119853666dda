import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Column, rowLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { ListScreen } from '../../components/list-screen';
import { EmptyState } from '../../components/states';
import { IdLink } from '../../components/tenant-link';
import { useSourceChoices, useSourceName } from '../../data/connectors';
import { itemsOf } from '../../data/pages';
import { CancelRuns } from './cancel-runs';
import { durationOf, kindOf } from './describe-run';
import { Progress } from './phases';
import { type OperatorJob, runsQuery } from './runs-queries';
import { type RunsSearch, statuses } from './runs-search';

const route = getRouteApi('/signed-in/$tenantId/runs');

const columnsOf = (sourceName: (id: string) => string): readonly Column<OperatorJob>[] => [
  {
    header: 'Source',
    width: 'minmax(0, 2fr)',
    cell: ({ job_id, connector_id }) => (
      <IdLink id={job_id} className={rowLink} dir="auto">
        {sourceName(connector_id)}
      </IdLink>
    ),
  },
  { header: 'Reads', from: 'medium', cell: kindOf },
  { header: 'Status', as: 'status', width: '150px', cell: ({ status }) => status },
  { header: 'Progress', width: '120px', from: 'wide', cell: (job) => <Progress job={job} /> },
  { header: 'Records', as: 'count', width: '80px', from: 'medium', cell: ({ records_read }) => records_read },
  { header: 'Errors', as: 'count', width: '60px', from: 'wide', cell: (job) => job.records_failed || undefined },
  { header: 'Took', width: '90px', align: 'end', from: 'wide', cell: (job) => durationOf(job, Date.now()) },
  { header: 'Requested', as: 'ago', from: 'small', cell: ({ created_at }) => created_at },
];

export function RunsScreen() {
  const { tenantId } = route.useParams();
  const search = route.useSearch();
  const query = useInfiniteQuery(runsQuery(tenantId, search));
  const sources = useSourceChoices();
  const sourceName = useSourceName();
  return (
    <ListScreen<OperatorJob, RunsSearch>
      title="Runs"
      api="/sync-jobs"
      parameters={{ status: search.status, connector_id: search.source }}
      cli="idsync jobs list"
      filters={[
        { of: 'status', label: 'Status', choices: choicesOf(statuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      saved="runs"
      columns={columnsOf(sourceName)}
      rowKey={({ job_id }) => job_id}
      query={query}
      noMatch={<EmptyState title="No run matches" />}
      nothing={
        <EmptyState title="No run">A run starts by a schedule, an API request or “Run now” of a source.</EmptyState>
      }
      actions={<CancelRuns runs={itemsOf(query.data)} />}
    />
  );
}
