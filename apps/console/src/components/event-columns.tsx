import type { OperatorEvent } from '../data/api';
import { useSourceName } from '../data/queries';
import type { Column } from './data-table';
import { linkColumn } from './links';
import { StatusBadge } from './values';

/** Columns of a list of events. The person is left out in lists of one person. */
export function useEventColumns({ withPerson = true } = {}): Column<OperatorEvent>[] {
  const sourceName = useSourceName();
  const person: Column<OperatorEvent> = {
    header: 'Person or machine',
    width: 'minmax(0, 1.2fr)',
    from: 'medium',
    cell: ({ name, identity_id }) => name ?? identity_id,
  };
  return [
    linkColumn('Event', 'minmax(0, 1.4fr)', 'event_type'),
    ...(withPerson ? [person] : []),
    { header: 'Changed', width: 'minmax(0, 1.2fr)', from: 'wide', cell: ({ changed }) => changed.join(', ') },
    { header: 'Source', from: 'wide', cell: ({ connector_id }) => connector_id && sourceName(connector_id) },
    {
      header: 'Deliveries',
      width: '140px',
      from: 'medium',
      cell: ({ deliveries }) => <DeliveryCounts deliveries={deliveries} />,
    },
    { header: 'Occurred', as: 'ago', cell: 'occurred_at' },
  ];
}

const statuses = ['dead', 'pending', 'delivered'] as const;

/** How many deliveries of an event have each status, worst first. */
function DeliveryCounts({ deliveries }: Pick<OperatorEvent, 'deliveries'>) {
  const shown = statuses
    .map((status) => ({ status, count: deliveries.filter((delivery) => delivery.status === status).length }))
    .filter(({ count }) => count > 0);
  if (shown.length === 0) return <>—</>;
  return shown.map(({ status, count }) => (
    <StatusBadge key={status} status={status}>
      {count} {status}
    </StatusBadge>
  ));
}
