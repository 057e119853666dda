import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import type { Replay } from '../../data/api';
import { replaysQuery } from './replay-queries';

const columns: readonly Column<Replay>[] = [
  { id: 'kind', header: 'Kind', width: 'minmax(0, 1fr)', cell: ({ kind }) => wordsOf(kind) },
  { id: 'status', header: 'Status', width: '120px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'due',
    header: 'Sent again',
    width: '100px',
    align: 'end',
    cell: ({ made_due }) => formatCount(made_due),
  },
  { id: 'by', header: 'By', width: 'minmax(0, 1fr)', from: 'medium', cell: ({ requested_by }) => requested_by },
  {
    id: 'created',
    header: 'Requested',
    width: '110px',
    align: 'end',
    from: 'small',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

/** What was sent again to a webhook, and how far that is. Absent if nothing was. */
export function Replays({ tenantId, webhookId }: { tenantId: string; webhookId: string }) {
  const query = useQuery(replaysQuery(tenantId, webhookId));
  if (!query.data?.length) return null;
  return (
    <Section title="Sent again on request" flush>
      <DataTable
        label="Replays"
        columns={columns}
        rows={query.data}
        rowKey={({ replay_id }) => replay_id}
        query={query}
        empty={<EmptyState title="Nothing was sent again" />}
      />
    </Section>
  );
}
