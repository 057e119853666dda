import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import type { OperatorJobPage } from '../../data/api';
import { lastRunsQuery } from './source-queries';

const columns: readonly Column<OperatorJobPage['data'][number]>[] = [
  {
    id: 'started',
    header: 'Started',
    width: 'minmax(0, 1fr)',
    cell: ({ job_id, started_at, created_at }) => (
      <Link
        from="/$tenantId/sources/$connectorId"
        to="/$tenantId/runs/$jobId"
        params={{ jobId: job_id }}
        className={rowLink}
      >
        <Ago at={started_at ?? created_at} />
      </Link>
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '120px',
    from: 'medium',
    cell: ({ mode, dry_run }) => (dry_run ? 'dry run' : mode),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(130px, 1fr)',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'read',
    header: 'Read',
    width: '80px',
    align: 'end',
    from: 'small',
    cell: ({ records_read }) => formatCount(records_read),
  },
  {
    id: 'failed',
    header: 'Failed',
    width: '80px',
    align: 'end',
    from: 'medium',
    cell: ({ records_failed }) => formatCount(records_failed),
  },
];

/** The last runs of a source; all of them are in the list of runs. */
export function SourceRuns({ tenantId, connectorId }: { tenantId: string; connectorId: string }) {
  const query = useQuery(lastRunsQuery(tenantId, connectorId));
  return (
    <Section
      title="Last runs"
      flush
      actions={
        <Link from="/$tenantId/sources/$connectorId" to="/$tenantId/runs" search={{ source: connectorId }}>
          All runs
        </Link>
      }
    >
      <DataTable
        label="Last runs"
        columns={columns}
        rows={query.data?.data ?? []}
        rowKey={({ job_id }) => job_id}
        query={query}
        empty={<EmptyState title="Not read yet">Start a dry run to see what a run would change.</EmptyState>}
      />
    </Section>
  );
}
