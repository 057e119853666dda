import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/data-table';
import { wordsOf } from '../../components/status';
import type { Replay } from '../../data/api';
import { replaysQuery } from './replay-queries';

const columns: readonly Column<Replay>[] = [
  { header: 'Kind', cell: ({ kind }) => wordsOf(kind) },
  { header: 'Status', as: 'status', cell: ({ status }) => status },
  { header: 'Sent again', as: 'count', width: '100px', cell: ({ made_due }) => made_due },
  { header: 'By', from: 'medium', cell: ({ requested_by }) => requested_by },
  { header: 'Requested', as: 'ago', from: 'small', cell: ({ created_at }) => created_at },
];

/** What was sent again to a webhook, and how far that is. Absent if nothing was. */
export function Replays({ tenantId, webhookId }: { tenantId: string; webhookId: string }) {
  const { data } = useQuery(replaysQuery(tenantId, webhookId));
  if (!data?.length) return null;
  return (
    <DataTable
      title="Sent again on request"
      label="Replays"
      columns={columns}
      rows={data}
      rowKey={({ replay_id }) => replay_id}
    />
  );
}
