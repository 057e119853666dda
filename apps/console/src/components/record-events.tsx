import { useInfiniteQuery } from '@tanstack/react-query';
import { eventsQuery } from '../data/events';
import { itemsOf } from '../data/pages';
import { DataTable } from './data-table';
import styles from './detail-rows.module.css';
import { eventColumns } from './event-columns';
import { EmptyState } from './states';

interface RecordEventsProps {
  tenantId: string;
  recordId: string;
  /** The identity that the record belongs to, whose events are found at any age. */
  identityId: string | undefined;
  sourceName: (id: string) => string;
}

/** Events about a record: while it has belonged to its present identity, or else the newest ones. */
export function RecordEvents({ tenantId, recordId, identityId, sourceName }: RecordEventsProps) {
  const query = useInfiniteQuery(eventsQuery(tenantId, { subject_id: recordId, identity_id: identityId }));
  return (
    <DataTable
      title="Events"
      columns={eventColumns({ sourceName, withPerson: false })}
      // Without an identity, a request examines the newest events of the tenant; going on would read all of them.
      query={identityId ? query : { ...query, hasNextPage: false }}
      empty={
        <EmptyState title="No event">
          {identityId
            ? 'Its events are no longer kept, or belong to an earlier person.'
            : 'It has no event among the newest ones of the tenant.'}
        </EmptyState>
      }
    >
      {identityId && itemsOf(query.data).length > 0 && (
        <p className={styles.note}>Events of the time in which it has belonged to its present person.</p>
      )}
    </DataTable>
  );
}
