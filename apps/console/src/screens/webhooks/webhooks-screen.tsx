import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { formatCount } from '../../components/format-time';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import type { WebhookHealthList } from '../../data/api';
import { webhooksQuery } from '../../data/webhooks';
import { healthOf, hostOf } from './describe-webhook';

const route = getRouteApi('/signed-in/$tenantId/webhooks');

type Row = WebhookHealthList['data'][number];

const columns: readonly Column<Row>[] = [
  {
    id: 'url',
    header: 'Endpoint',
    width: 'minmax(0, 2fr)',
    cell: ({ id, callback_url }) => (
      <Link
        from="/$tenantId/webhooks"
        to="/$tenantId/webhooks/$webhookId"
        params={{ webhookId: id }}
        className={rowLink}
        title={callback_url}
      >
        {hostOf(callback_url)}
      </Link>
    ),
  },
  {
    id: 'events',
    header: 'Events',
    width: 'minmax(0, 1.5fr)',
    from: 'medium',
    cell: ({ events }) => <span title={events.join(', ')}>{events.join(', ')}</span>,
  },
  {
    id: 'health',
    header: 'Health',
    width: '170px',
    cell: (row) => {
      const { tone, word } = healthOf(row);
      return <StatusBadge tone={tone}>{word}</StatusBadge>;
    },
  },
  {
    id: 'pending',
    header: 'Pending',
    width: '90px',
    align: 'end',
    from: 'medium',
    cell: ({ pending }) => countOf(pending),
  },
  { id: 'dead', header: 'Dead', width: '80px', align: 'end', from: 'medium', cell: ({ dead }) => countOf(dead) },
  {
    id: 'success',
    header: 'Last success',
    width: '120px',
    align: 'end',
    from: 'wide',
    cell: ({ last_success_at }) => (last_success_at ? <Ago at={last_success_at} /> : '—'),
  },
];

function countOf({ count, exact }: { count: number; exact: boolean }): string {
  return count === 0 ? '—' : formatCount(count, !exact);
}

export function WebhooksScreen() {
  const { tenantId } = route.useParams();
  const query = useQuery(webhooksQuery(tenantId));
  return (
    <Page
      title="Webhooks"
      description="Endpoints of subscribers that receive signed events."
      actions={<CopyAs path={`/admin/v1/tenants/${tenantId}/webhooks`} cli="idsync webhooks list" json={query.data} />}
    >
      <Section title="Webhooks" untitled flush>
        <DataTable
          label="Webhooks"
          columns={columns}
          rows={query.data?.data ?? []}
          rowKey={({ id }) => id}
          query={query}
          empty={
            <EmptyState title="No webhook yet">
              A subscriber creates one with its API key: <code>POST /v1/webhooks</code>.
            </EmptyState>
          }
        />
      </Section>
    </Page>
  );
}
