import { useInfiniteQuery } from '@tanstack/react-query';
import { buttonClass } from '../../components/button';
import { DataTable } from '../../components/data-table';
import { useEventColumns } from '../../components/event-columns';
import { EmptyState } from '../../components/states';
import { TenantLink } from '../../components/tenant-link';
import { eventsQuery } from '../../data/events';
import { useTenantId } from '../../data/use-tenant';

/** The events of the person, each with its deliveries. */
export function Events({ identityId }: { identityId: string }) {
  return (
    <DataTable
      title="Events and deliveries"
      label="Events"
      columns={useEventColumns({ withPerson: false })}
      query={useInfiniteQuery(eventsQuery(useTenantId(), { identity_id: identityId }))}
      empty={<EmptyState title="No event">Nothing has happened to this person yet.</EmptyState>}
      actions={
        <TenantLink path={`/events?identity=${identityId}`} className={buttonClass({ look: 'quiet', small: true })}>
          Open in the feed
        </TenantLink>
      }
    />
  );
}
