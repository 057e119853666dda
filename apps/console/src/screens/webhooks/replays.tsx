import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/data-table';
import { wordsOf } from '../../components/status';
import { call, type Replay } from '../../data/api';
import { live } from '../../data/query-client';
import { useTenantId } from '../../data/use-tenant';

/** The newest replays of a webhook. */
const replaysQuery = (tenantId: string, webhookId: string) =>
  queryOptions({
    queryKey: ['replays', tenantId, webhookId],
    queryFn: async () => {
      const { data } = await call('GET /replays', { tenantId }, { limit: 200 });
      return data.filter((replay) => replay.webhook_id === webhookId).slice(0, 5);
    },
    ...live,
  });

const columns: readonly Column<Replay>[] = [
  { header: 'Kind', cell: ({ kind }) => wordsOf(kind) },
  { header: 'Status', as: 'status', cell: ({ status }) => status },
  { header: 'Sent again', as: 'count', width: '100px', cell: ({ made_due }) => made_due },
  { header: 'By', from: 'medium', cell: ({ requested_by }) => requested_by },
  { header: 'Requested', as: 'ago', from: 'small', cell: ({ created_at }) => created_at },
];

/** What was sent again to a webhook, and how far that is. Absent if nothing was. */
export function Replays({ webhookId }: { webhookId: string }) {
  const { data } = useQuery(replaysQuery(useTenantId(), webhookId));
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
