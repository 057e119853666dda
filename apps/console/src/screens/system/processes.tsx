import { type Column, DataTable } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { stateOfProcess } from './describe-system';
import type { Process } from './system-queries';

const columns: readonly Column<Process>[] = [
  { id: 'service', header: 'Service', width: 'minmax(0, 1.4fr)', cell: ({ service }) => service },
  {
    id: 'host',
    header: 'Host',
    width: 'minmax(0, 1.4fr)',
    from: 'medium',
    cell: ({ host }) => <span title={host}>{host}</span>,
  },
  { id: 'version', header: 'Version', width: '100px', from: 'medium', cell: ({ version }) => version },
  {
    id: 'outbox',
    header: 'Outbox',
    width: '90px',
    align: 'end',
    from: 'wide',
    cell: ({ outbox_messages }) => formatCount(outbox_messages),
  },
  {
    id: 'started',
    header: 'Started',
    width: '110px',
    align: 'end',
    from: 'wide',
    cell: ({ started_at }) => <Ago at={started_at} />,
  },
  {
    id: 'seen',
    header: 'Reported',
    width: '110px',
    align: 'end',
    from: 'medium',
    cell: ({ seen_at }) => <Ago at={seen_at} />,
  },
  {
    id: 'state',
    header: 'State',
    width: '140px',
    cell: (process) => {
      const { word, tone } = stateOfProcess(process);
      return <StatusBadge tone={tone}>{word}</StatusBadge>;
    },
  },
];
const noQuery = { isPending: false, error: null, refetch: () => {} };

/** The processes that have reported within a day. */
export function Processes({ processes }: { processes: readonly Process[] }) {
  return (
    <DataTable
      label="Processes"
      columns={columns}
      rows={processes}
      rowKey={({ service, host, started_at }) => `${service} ${host} ${started_at}`}
      query={noQuery}
      empty={<EmptyState title="No process has reported yet">Each process reports every 30 seconds.</EmptyState>}
    />
  );
}
