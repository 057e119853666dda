import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { SelectFilter } from '../../components/fields';
import { EmptyState } from '../../components/states';
import { tenantsQuery } from '../../data/tenants';
import { DeadLetterDialog } from './dead-letter-dialog';
import { type DeadLetter, deadLettersQuery, type Queue } from './system-queries';
import type { SystemSearch } from './system-search';

const columnsOf = (tenantName: (id: string | undefined) => string): readonly Column<DeadLetter>[] => [
  {
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
  { header: 'Queue', width: 'minmax(0, 1.2fr)', from: 'wide', cell: ({ queue }) => queue },
  { header: 'Tenant', from: 'medium', cell: ({ tenant_id }) => tenantName(tenant_id) },
  { header: 'Error', width: 'minmax(0, 2fr)', from: 'medium', cell: ({ reason }) => reason },
  { header: 'Attempts', width: '80px', align: 'end', from: 'wide', cell: ({ attempts }) => attempts },
  { header: 'Given up', as: 'ago', cell: ({ dead_at }) => dead_at },
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
    <DataTable
      title="Dead letters"
      columns={columnsOf(tenantName)}
      query={query}
      empty={
        <EmptyState title={queue ? 'No dead letter of this queue' : 'No dead letter'}>
          A message that fails as often as its queue allows is kept here, until it is sent again or discarded.
        </EmptyState>
      }
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
      {letter && (
        <DeadLetterDialog id={letter} tenantName={tenantName} onClose={() => onSearch({ letter: undefined })} />
      )}
    </DataTable>
  );
}
