import type { OperatorEvent } from '../data/events';
import { StatusBadge } from './status-badge';

const statuses = ['dead', 'pending', 'delivered'] as const;

/** How many deliveries of an event have each status, worst first. */
export function DeliveryCounts({ deliveries }: Pick<OperatorEvent, 'deliveries'>) {
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
