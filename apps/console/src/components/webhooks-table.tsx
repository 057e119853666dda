import type { ListedWebhook, WebhookDetails } from '@idsync/client/operator';
import type { ComponentProps, ReactNode } from 'react';
import { type Column, DataTable, rowLink } from './data-table';
import { healthOf, hostOf } from './describe-webhook';
import { formatCount } from './format-time';
import { StatusBadge } from './status-badge';
import { Ago } from './time';

interface Row extends Pick<ListedWebhook, 'id' | 'callback_url' | 'events'> {
  /** Absent while it is loading. */
  health: (Parameters<typeof healthOf>[0] & Pick<WebhookDetails, 'pending' | 'dead' | 'last_success_at'>) | undefined;
}

interface WebhooksTableProps {
  rows: readonly Row[];
  query: ComponentProps<typeof DataTable<Row>>['query'];
  empty: ReactNode;
  /** Renders the link of a row, with these properties. */
  linkOf: (id: string, props: { className: string | undefined; title: string; children: string }) => ReactNode;
  /** Columns beside the sidebar of the console: also what is pending, and the last success only on wide windows. */
  isConsole?: boolean;
}

/** Webhooks with their health. */
export function WebhooksTable({ linkOf, isConsole = false, ...table }: WebhooksTableProps) {
  return <DataTable label="Webhooks" columns={columnsWith(linkOf, isConsole)} rowKey={({ id }) => id} {...table} />;
}

function columnsWith(linkOf: WebhooksTableProps['linkOf'], isConsole: boolean): readonly Column<Row>[] {
  const pending: Column<Row> = {
    id: 'pending',
    header: 'Pending',
    width: '90px',
    align: 'end',
    from: 'medium',
    cell: ({ health }) => countOf(health?.pending),
  };
  return [
    {
      id: 'url',
      header: 'Endpoint',
      width: 'minmax(0, 2fr)',
      cell: ({ id, callback_url }) =>
        linkOf(id, { className: rowLink, title: callback_url, children: hostOf(callback_url) }),
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
      cell: ({ health }) => {
        if (!health) return '…';
        const { tone, word } = healthOf(health);
        return <StatusBadge tone={tone}>{word}</StatusBadge>;
      },
    },
    ...(isConsole ? [pending] : []),
    {
      id: 'dead',
      header: 'Dead',
      width: '80px',
      align: 'end',
      from: 'medium',
      cell: ({ health }) => countOf(health?.dead),
    },
    {
      id: 'success',
      header: 'Last success',
      width: '120px',
      align: 'end',
      from: isConsole ? 'wide' : 'medium',
      cell: ({ health }) => (health?.last_success_at ? <Ago at={health.last_success_at} /> : '—'),
    },
  ];
}

function countOf(counted: WebhookDetails['dead'] | undefined): string {
  return counted?.count ? formatCount(counted.count, !counted.exact) : '—';
}
