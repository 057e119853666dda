import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { countOf, lagOf, stateOfQueue } from './describe-system';
import type { Queue } from './system-queries';

const columnsOf = (isCapped: boolean): readonly Column<Queue>[] => [
  {
    header: 'Queue',
    width: 'minmax(0, 2fr)',
    cell: ({ name }) => (
      <Link
        from="/$tenantId/system"
        to="."
        search={(old) => ({ ...old, queue: name })}
        className={rowLink}
        resetScroll={false}
      >
        {name}
      </Link>
    ),
  },
  { header: 'Waiting', as: 'count', cell: ({ messages }) => countOf(messages, isCapped) },
  { header: 'Oldest', as: 'count', width: '110px', from: 'medium', cell: lagOf },
  { header: 'Consumers', as: 'count', width: '100px', from: 'wide', cell: ({ consumers }) => consumers },
  {
    header: 'Dead letters',
    as: 'count',
    width: '110px',
    from: 'medium',
    cell: ({ dead_letters }) => (dead_letters > 0 ? countOf(dead_letters) : undefined),
  },
  { header: 'State', width: '140px', from: 'medium', cell: stateOfQueue },
];

/** The queues of all services. A row opens the dead letters of its queue. */
export function Queues({ queues, isCapped }: { queues: readonly Queue[]; isCapped: boolean }) {
  return <DataTable title="Queues" columns={columnsOf(isCapped)} rows={queues} rowKey={({ name }) => name} />;
}
