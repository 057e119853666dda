import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import { stateOfProcess } from './describe-system';
import type { Process } from './system-queries';

const columns: readonly Column<Process>[] = [
  { header: 'Service', width: 'minmax(0, 1.4fr)', cell: ({ service }) => service },
  { header: 'Host', width: 'minmax(0, 1.4fr)', from: 'medium', cell: ({ host }) => host },
  { header: 'Version', width: '100px', from: 'medium', cell: ({ version }) => version },
  { header: 'Outbox', as: 'count', from: 'wide', cell: ({ outbox_messages }) => outbox_messages },
  { header: 'Started', as: 'ago', from: 'wide', cell: ({ started_at }) => started_at },
  { header: 'Reported', as: 'ago', from: 'medium', cell: ({ seen_at }) => seen_at },
  { header: 'State', width: '140px', cell: stateOfProcess },
];

/** The processes that have reported within a day. */
export function Processes({ processes }: { processes: readonly Process[] }) {
  return (
    <DataTable
      title="Processes"
      columns={columns}
      rows={processes}
      rowKey={({ service, host, started_at }) => `${service} ${host} ${started_at}`}
      empty={<EmptyState title="No process has reported yet">Each process reports every 30 seconds.</EmptyState>}
    />
  );
}
