import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { recordsName } from '../../components/record-names';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import type { Connector } from '../../data/api';

const columnsOf = (tenantId: string): readonly Column<Connector>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/$tenantId/sources/$connectorId" params={{ tenantId, connectorId: id }} className={rowLink} dir="auto">
        {name}
      </Link>
    ),
  },
  { id: 'type', header: 'Type', width: 'minmax(0, 1fr)', from: 'medium', cell: ({ type }) => type },
  {
    id: 'records',
    header: 'Lists',
    width: 'minmax(0, 1fr)',
    from: 'wide',
    cell: ({ records }) => recordsName(records),
  },
  { id: 'health', header: 'Health', width: '120px', cell: ({ health }) => <StatusBadge status={health} /> },
  {
    id: 'read',
    header: 'Records read',
    width: '110px',
    align: 'end',
    from: 'medium',
    cell: ({ last_run }) => (last_run ? formatCount(last_run.records_read) : '—'),
  },
  {
    id: 'complete',
    header: 'Complete as of',
    width: '120px',
    align: 'end',
    from: 'small',
    cell: ({ complete_as_of }) => (complete_as_of ? <Ago at={complete_as_of} /> : 'Never'),
  },
];

export function SourceHealth({ tenantId, sources }: { tenantId: string; sources: readonly Connector[] }) {
  return (
    <DataTable
      label="Sources"
      columns={columnsOf(tenantId)}
      rows={sources}
      rowKey={({ id }) => id}
      query={{ isPending: false, error: null, refetch: () => {} }}
      empty={null}
    />
  );
}
