import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { DataTable } from '../../components/data-table';
import { eventColumns } from '../../components/event-columns';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { eventsQuery } from '../../data/events';
import { itemsOf } from '../../data/pages';

interface EventsProps {
  tenantId: string;
  identityId: string;
  sourceName: (id: string) => string;
}

/** The events of the person, each with its deliveries. */
export function Events({ tenantId, identityId, sourceName }: EventsProps) {
  const query = useInfiniteQuery(eventsQuery(tenantId, { identity_id: identityId }));
  return (
    <Section
      title="Events and deliveries"
      actions={
        <Link
          to="/$tenantId/events"
          params={{ tenantId }}
          search={{ identity: identityId }}
          className={buttonClass({ look: 'quiet', small: true })}
        >
          Open in the feed
        </Link>
      }
      flush
    >
      <DataTable
        label="Events"
        columns={eventColumns({ tenantId, sourceName, withPerson: false })}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        query={query}
        empty={<EmptyState title="No event">Nothing has happened to this person yet.</EmptyState>}
      />
    </Section>
  );
}
