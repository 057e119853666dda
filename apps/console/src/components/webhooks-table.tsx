import type { ListedWebhook, WebhookDetails } from '@idsync/client/operator';
import type { ComponentProps, ReactNode } from 'react';
import { type Column, DataTable, rowLink } from './data-table';
import { healthOf, hostOf } from './describe-webhook';
import { formatCounted } from './format-time';

interface Row extends Pick<ListedWebhook, 'id' | 'callback_url' | 'events'> {
  /** Absent while it is loading. */
  health: (Parameters<typeof healthOf>[0] & Pick<WebhookDetails, 'pending' | 'dead' | 'last_success_at'>) | undefined;
}

type Table = ComponentProps<typeof DataTable<Row>>;

interface WebhooksTableProps extends Pick<Table, 'rows' | 'empty'> {
  query?: Omit<NonNullable<Table['query']>, 'data'>;
  /** Renders the link of a row, with these properties. */
  linkOf: (id: string, props: { className: string | undefined; title: string; children: string }) => ReactNode;
  /** Columns beside the sidebar of the console: also what is pending, and the last success only on wide windows. */
  isConsole?: boolean;
}

/** Webhooks with their health. */
export function WebhooksTable({ linkOf, isConsole = false, query, ...table }: WebhooksTableProps) {
  return (
    <DataTable
      title="Webhooks"
      untitled
      columns={columnsWith(linkOf, isConsole)}
      query={query && { ...query, data: undefined }}
      {...table}
    />
  );
}

function columnsWith(linkOf: WebhooksTableProps['linkOf'], isConsole: boolean): readonly Column<Row>[] {
  const pending: Column<Row> = {
    header: 'Pending',
    as: 'count',
    from: 'medium',
    cell: ({ health }) => countOf(health?.pending),
  };
  return [
    {
      header: 'Endpoint',
      width: 'minmax(0, 2fr)',
      cell: ({ id, callback_url }) =>
        linkOf(id, { className: rowLink, title: callback_url, children: hostOf(callback_url) }),
    },
    { header: 'Events', width: 'minmax(0, 1.5fr)', from: 'medium', cell: ({ events }) => events.join(', ') },
    { header: 'Health', width: '170px', cell: ({ health }) => health && healthOf(health), none: '…' },
    ...(isConsole ? [pending] : []),
    { header: 'Dead', as: 'count', width: '80px', from: 'medium', cell: ({ health }) => countOf(health?.dead) },
    {
      header: 'Last success',
      as: 'ago',
      width: '120px',
      from: isConsole ? 'wide' : 'medium',
      cell: ({ health }) => health?.last_success_at,
    },
  ];
}

function countOf(counted: WebhookDetails['dead'] | undefined): string | undefined {
  return counted?.count ? formatCounted(counted) : undefined;
}
