import { useInfiniteQuery } from '@tanstack/react-query';
import { DataTable } from '../../components/data-table';
import { eventColumns } from '../../components/event-columns';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import type { MachineIdentityDetails } from '../../data/api';
import { itemsOf } from '../../data/pages';
import { machineEventsQuery } from './machine-queries';

interface MachineEventsProps {
  tenantId: string;
  machine: MachineIdentityDetails;
  identityId: string;
  sourceName: (id: string) => string;
}

/** Events of the machine while it has belonged to its present identity. */
export function MachineEvents({ tenantId, machine, identityId, sourceName }: MachineEventsProps) {
  const query = useInfiniteQuery(machineEventsQuery(tenantId, identityId));
  const events = itemsOf(query.data).filter(({ subject_id }) => subject_id === machine.id);
  return (
    <Section title="Events" flush>
      <DataTable
        label="Events"
        columns={eventColumns({ tenantId, sourceName, withPerson: false })}
        rows={events}
        rowKey={({ id }) => id}
        query={query}
        empty={<EmptyState title="No event">Its events are no longer kept, or belong to an earlier owner.</EmptyState>}
      />
    </Section>
  );
}
