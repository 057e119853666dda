import { Link } from '@tanstack/react-router';
import type { OperatorEvent } from '../data/events';
import { type Column, rowLink } from './data-table';
import { DeliveryCounts } from './delivery-counts';
import { Ago } from './time';

interface EventColumnsProps {
  tenantId: string;
  sourceName: (id: string) => string;
  /** Left out in lists of one person. */
  withPerson?: boolean;
}

/** Columns of a list of events. */
export function eventColumns({ tenantId, sourceName, withPerson = true }: EventColumnsProps): Column<OperatorEvent>[] {
  const person: Column<OperatorEvent> = {
    id: 'person',
    header: 'Person or machine',
    width: 'minmax(0, 1.2fr)',
    from: 'medium',
    cell: ({ name, identity_id }) => <span dir="auto">{name ?? identity_id ?? '—'}</span>,
  };
  return [
    {
      id: 'type',
      header: 'Event',
      width: 'minmax(0, 1.4fr)',
      cell: ({ id, event_type }) => (
        <Link to="/$tenantId/events/$eventId" params={{ tenantId, eventId: id }} className={rowLink}>
          {event_type}
        </Link>
      ),
    },
    ...(withPerson ? [person] : []),
    {
      id: 'changed',
      header: 'Changed',
      width: 'minmax(0, 1.2fr)',
      from: 'wide',
      cell: ({ changed }) => <span title={changed.join(', ')}>{changed.join(', ') || '—'}</span>,
    },
    {
      id: 'source',
      header: 'Source',
      width: 'minmax(0, 1fr)',
      from: 'wide',
      cell: ({ connector_id }) => <span dir="auto">{connector_id ? sourceName(connector_id) : '—'}</span>,
    },
    {
      id: 'deliveries',
      header: 'Deliveries',
      width: '140px',
      from: 'medium',
      cell: ({ deliveries }) => <DeliveryCounts deliveries={deliveries} />,
    },
    {
      id: 'at',
      header: 'Occurred',
      width: '110px',
      align: 'end',
      cell: ({ occurred_at }) => <Ago at={occurred_at} />,
    },
  ];
}
