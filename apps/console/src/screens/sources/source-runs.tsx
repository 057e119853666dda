import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import { IdLink, TenantLink } from '../../components/tenant-link';
import { Ago } from '../../components/time';
import { call, type OperatorJobPage } from '../../data/api';
import { live } from '../../data/query-client';
import { useTenantId } from '../../data/use-tenant';

const shownRuns = 5;

const columns: readonly Column<OperatorJobPage['data'][number]>[] = [
  {
    header: 'Started',
    cell: ({ job_id, started_at, created_at }) => (
      <IdLink id={job_id} className={rowLink}>
        <Ago at={started_at ?? created_at} />
      </IdLink>
    ),
  },
  { header: 'Kind', width: '120px', from: 'medium', cell: ({ mode, dry_run }) => (dry_run ? 'dry run' : mode) },
  { header: 'Status', as: 'status', width: 'minmax(130px, 1fr)', cell: ({ status }) => status },
  { header: 'Read', as: 'count', width: '80px', from: 'small', cell: ({ records_read }) => records_read },
  { header: 'Failed', as: 'count', width: '80px', from: 'medium', cell: ({ records_failed }) => records_failed },
];

/** The last runs of a source; all of them are in the list of runs. */
export function SourceRuns({ connectorId }: { connectorId: string }) {
  const tenantId = useTenantId();
  const query = useQuery({
    queryKey: ['jobs', tenantId, { connectorId, limit: shownRuns }],
    queryFn: () => call('GET /sync-jobs', { tenantId }, { connector_id: connectorId, limit: shownRuns }),
    ...live,
  });
  return (
    <DataTable
      title="Last runs"
      columns={columns}
      rowKey={({ job_id }) => job_id}
      query={query}
      empty={<EmptyState title="Not read yet">Start a dry run to see what a run would change.</EmptyState>}
      actions={<TenantLink path={`/runs?source=${connectorId}`}>All runs</TenantLink>}
    />
  );
}
