import { useInfiniteQuery } from '@tanstack/react-query';
import { eventsQuery } from '../data/events';
import { itemsOf } from '../data/pages';
import { useTenantId } from '../data/use-tenant';
import { DataTable } from './data-table';
import styles from './detail-rows.module.css';
import { useEventColumns } from './event-columns';
import { EmptyState } from './states';

interface RecordEventsProps {
  recordId: string;
  /** The identity that the record belongs to, whose events are found at any age. */
  identityId: string | undefined;
}

/** Events about a record: while it has belonged to its present identity, or else the newest ones. */
export function RecordEvents({ recordId, identityId }: RecordEventsProps) {
  const query = useInfiniteQuery(eventsQuery(useTenantId(), { subject_id: recordId, identity_id: identityId }));
  return (
    <DataTable
      title="Events"
      columns={useEventColumns({ withPerson: false })}
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
