import type { Delivery } from '@idsync/client/operator';
import { deliveryStatuses } from '@idsync/contracts/fixed-values';
import type { ComponentProps, ReactNode } from 'react';
import type { DeliverySearch } from '../data/searches';
import { type Column, DataTable, rowLink } from './data-table';
import { choicesOf, FilterBar, SearchField, SelectFilter } from './fields';
import { Ago } from './values';
import { wordsOf } from './words';

/** Renders the link of a row, with these properties. */
type LinkOf = (delivery: Delivery, props: { className: string | undefined; children: string }) => ReactNode;

const columns: readonly Column<Delivery>[] = [
  { header: 'Sequence', width: '90px', align: 'end', from: 'medium', cell: 'sequence' },
  { header: 'Status', as: 'status', cell: 'status' },
  {
    header: 'Last attempt',
    width: 'minmax(0, 1.5fr)',
    from: 'medium',
    cell: ({ last_outcome, last_status_code, last_error }) => (
      <span title={last_error}>
        {[last_outcome && wordsOf(last_outcome), last_status_code].filter(Boolean).join(' · ') || '—'}
      </span>
    ),
  },
  { header: 'Attempts', width: '90px', align: 'end', from: 'medium', cell: 'tries' },
  {
    header: 'Next',
    width: '120px',
    align: 'end',
    from: 'wide',
    cell: ({ status, due_at }) => {
      if (status !== 'pending' || !due_at) return undefined;
      return Date.parse(due_at) < Date.now() ? 'Due' : <Ago at={due_at} />;
    },
  },
  { header: 'Created', as: 'ago', from: 'small', cell: 'created_at' },
];

interface DeliveriesTableProps {
  query: ComponentProps<typeof DataTable<Delivery>>['query'];
  linkOf: LinkOf;
}

export function DeliveriesTable({ query, linkOf }: DeliveriesTableProps) {
  const event: Column<Delivery> = {
    header: 'Event',
    width: 'minmax(0, 2fr)',
    cell: (delivery) => linkOf(delivery, { className: rowLink, children: delivery.event_type }),
  };
  return (
    <DataTable
      title="Deliveries"
      columns={[event, ...columns]}
      query={query}
      empty={{
        title: 'No delivery',
        text: 'A delivery is created when an event matches. Send a test event to create one.',
      }}
    />
  );
}

/** Filters of a list of deliveries. */
export function DeliveryFilters({
  status,
  type,
  onChange,
}: DeliverySearch & { onChange: (changed: DeliverySearch) => unknown }) {
  return (
    <FilterBar>
      <SelectFilter
        label="Deliveries"
        any="Any"
        value={status}
        choices={choicesOf(deliveryStatuses)}
        onChange={(chosen) => onChange({ status: chosen as DeliverySearch['status'] })}
      />
      <SearchField
        label="Event type"
        placeholder="Event type, such as identity.updated"
        value={type ?? ''}
        onChange={(text) => onChange({ type: text || undefined })}
      />
    </FilterBar>
  );
}
