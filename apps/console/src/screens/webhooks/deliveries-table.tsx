import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import type { Delivery } from '../../data/api';

const columns: readonly Column<Delivery>[] = [
  {
    id: 'type',
    header: 'Event',
    width: 'minmax(0, 2fr)',
    cell: ({ id, event_type }) => (
      <Link
        from="/$tenantId/webhooks/$webhookId"
        to="/$tenantId/deliveries/$deliveryId"
        params={{ deliveryId: id }}
        className={rowLink}
      >
        {event_type}
      </Link>
    ),
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
    cell: ({ status, due_at }) => (status === 'pending' && due_at ? <Ago at={due_at} /> : '—'),
  },
  { id: 'created', header: 'Created', width: '110px', align: 'end', cell: ({ created_at }) => <Ago at={created_at} /> },
];

interface DeliveriesTableProps {
  rows: readonly Delivery[];
  query: ComponentProps<typeof DataTable<Delivery>>['query'];
}

export function DeliveriesTable({ rows, query }: DeliveriesTableProps) {
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
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
