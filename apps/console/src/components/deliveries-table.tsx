import type { Delivery } from '@idsync/client/operator';
import type { ComponentProps, ReactNode } from 'react';
import { type Column, DataTable, rowLink } from './data-table';
import { EmptyState } from './states';
import { wordsOf } from './status';
import { StatusBadge } from './status-badge';
import { Ago } from './time';

/** Renders the link of a row, with these properties. */
type LinkOf = (delivery: Delivery, props: { className: string | undefined; children: string }) => ReactNode;

const columnsWith = (linkOf: LinkOf): readonly Column<Delivery>[] => [
  {
    id: 'type',
    header: 'Event',
    width: 'minmax(0, 2fr)',
    cell: (delivery) => linkOf(delivery, { className: rowLink, children: delivery.event_type }),
  },
  {
    id: 'sequence',
    header: 'Sequence',
    width: '90px',
    align: 'end',
    from: 'medium',
    cell: ({ sequence }) => sequence,
  },
  { id: 'status', header: 'Status', width: '120px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'outcome',
    header: 'Last attempt',
    width: 'minmax(0, 1.5fr)',
    from: 'medium',
    cell: ({ last_outcome, last_status_code, last_error }) => (
      <span title={last_error}>
        {[last_outcome && wordsOf(last_outcome), last_status_code].filter(Boolean).join(' · ') || '—'}
      </span>
    ),
  },
  { id: 'tries', header: 'Attempts', width: '90px', align: 'end', from: 'medium', cell: ({ tries }) => tries },
  {
    id: 'due',
    header: 'Next',
    width: '120px',
    align: 'end',
    from: 'wide',
    cell: ({ status, due_at }) => {
      if (status !== 'pending' || !due_at) return '—';
      return Date.parse(due_at) < Date.now() ? 'Due' : <Ago at={due_at} />;
    },
  },
  {
    id: 'created',
    header: 'Created',
    width: '110px',
    align: 'end',
    from: 'small',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

interface DeliveriesTableProps {
  rows: readonly Delivery[];
  query: ComponentProps<typeof DataTable<Delivery>>['query'];
  linkOf: LinkOf;
}

export function DeliveriesTable({ rows, query, linkOf }: DeliveriesTableProps) {
  return (
    <DataTable
      label="Deliveries"
      columns={columnsWith(linkOf)}
      rows={rows}
      rowKey={({ id }) => id}
      query={query}
      empty={
        <EmptyState title="No delivery">
          A delivery is created when an event matches. Send a test event to create one.
        </EmptyState>
      }
    />
  );
}
