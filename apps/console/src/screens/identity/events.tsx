import { useInfiniteQuery } from '@tanstack/react-query';
import { buttonClass } from '../../components/button';
import { DataTable } from '../../components/data-table';
import { eventColumns } from '../../components/event-columns';
import { EmptyState } from '../../components/states';
import { TenantLink } from '../../components/tenant-link';
import { eventsQuery } from '../../data/events';

interface EventsProps {
  tenantId: string;
  identityId: string;
  sourceName: (id: string) => string;
}

/** The events of the person, each with its deliveries. */
export function Events({ tenantId, identityId, sourceName }: EventsProps) {
  return (
    <DataTable
      title="Events and deliveries"
      label="Events"
      columns={eventColumns({ sourceName, withPerson: false })}
      query={useInfiniteQuery(eventsQuery(tenantId, { identity_id: identityId }))}
      empty={<EmptyState title="No event">Nothing has happened to this person yet.</EmptyState>}
      actions={
        <TenantLink path={`/events?identity=${identityId}`} className={buttonClass({ look: 'quiet', small: true })}>
          Open in the feed
        </TenantLink>
      }
    />
  );
}
