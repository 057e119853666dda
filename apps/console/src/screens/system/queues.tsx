import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { StatusBadge } from '../../components/status-badge';
import { countOf, lagOf, stateOfQueue } from './describe-system';
import type { Queue } from './system-queries';

const columnsOf = (isCapped: boolean): readonly Column<Queue>[] => [
  {
    id: 'name',
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
  {
    id: 'messages',
    header: 'Waiting',
    width: '90px',
    align: 'end',
    cell: ({ messages }) => countOf(messages, isCapped),
  },
  { id: 'lag', header: 'Oldest', width: '110px', align: 'end', from: 'medium', cell: lagOf },
  {
    id: 'consumers',
    header: 'Consumers',
    width: '100px',
    align: 'end',
    from: 'wide',
    cell: ({ consumers }) => (consumers === undefined ? '—' : formatCount(consumers)),
  },
  {
    id: 'dead',
    header: 'Dead letters',
    width: '110px',
    align: 'end',
    from: 'medium',
    cell: ({ dead_letters }) => (dead_letters > 0 ? countOf(dead_letters) : '—'),
  },
  {
    id: 'state',
    header: 'State',
    width: '140px',
    from: 'medium',
    cell: (queue) => {
      const { word, tone } = stateOfQueue(queue);
      return <StatusBadge tone={tone}>{word}</StatusBadge>;
    },
  },
];
const noQuery = { isPending: false, error: null, refetch: () => {} };

/** The queues of all services. A row opens the dead letters of its queue. */
export function Queues({ queues, isCapped }: { queues: readonly Queue[]; isCapped: boolean }) {
  return (
    <DataTable
      label="Queues"
      columns={columnsOf(isCapped)}
      rows={queues}
      rowKey={({ name }) => name}
      query={noQuery}
      empty={null}
    />
  );
}
