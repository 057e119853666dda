import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { SelectFilter } from '../../components/fields';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { Ago } from '../../components/time';
import { itemsOf } from '../../data/pages';
import { tenantsQuery } from '../../data/tenants';
import { DeadLetterDialog } from './dead-letter-dialog';
import { type DeadLetter, deadLettersQuery, type Queue } from './system-queries';
import type { SystemSearch } from './system-search';

const columnsOf = (tenantName: (id: string | undefined) => string): readonly Column<DeadLetter>[] => [
  {
    id: 'type',
    header: 'Message',
    width: 'minmax(0, 1.4fr)',
    cell: ({ id, type }) => (
      <Link
        from="/$tenantId/system"
        to="."
        search={(old) => ({ ...old, letter: id })}
        className={rowLink}
        resetScroll={false}
      >
        {type}
      </Link>
    ),
  },
  { id: 'queue', header: 'Queue', width: 'minmax(0, 1.2fr)', from: 'wide', cell: ({ queue }) => queue },
  {
    id: 'tenant',
    header: 'Tenant',
    width: 'minmax(0, 1fr)',
    from: 'medium',
    cell: ({ tenant_id }) => <span dir="auto">{tenantName(tenant_id)}</span>,
  },
  {
    id: 'reason',
    header: 'Error',
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
  { id: 'attempts', header: 'Attempts', width: '80px', align: 'end', from: 'wide', cell: ({ attempts }) => attempts },
  { id: 'dead', header: 'Given up', width: '110px', align: 'end', cell: ({ dead_at }) => <Ago at={dead_at} /> },
];

interface DeadLettersProps extends SystemSearch {
  queues: readonly Queue[];
  onSearch: (change: SystemSearch) => unknown;
}

/** Messages that failed as often as their queue allows, of all queues or one. */
export function DeadLetters({ queues, queue, letter, onSearch }: DeadLettersProps) {
  const query = useInfiniteQuery(deadLettersQuery(queue));
  const { data: tenants } = useQuery(tenantsQuery);
  const tenantName = (id: string | undefined) =>
    (id && (tenants?.data.find((tenant) => tenant.id === id)?.name ?? id)) || '—';
  return (
    <Section
      title="Dead letters"
      flush
      actions={
        <SelectFilter
          label="Queue"
          any="Any"
          value={queue}
          choices={queues.map(({ name }) => ({ value: name, label: name }))}
          onChange={(chosen) => onSearch({ queue: chosen })}
        />
      }
    >
      <DataTable
        label="Dead letters"
        columns={columnsOf(tenantName)}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        query={query}
        empty={
          <EmptyState title={queue ? 'No dead letter of this queue' : 'No dead letter'}>
            A message that fails as often as its queue allows is kept here, until it is sent again or discarded.
          </EmptyState>
        }
      />
      {letter && (
        <DeadLetterDialog id={letter} tenantName={tenantName} onClose={() => onSearch({ letter: undefined })} />
      )}
    </Section>
  );
}
