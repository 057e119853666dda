import type { ComponentProps } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import type { FailingRecordPage } from '../../data/api';

type Row = FailingRecordPage['data'][number];

const columns: readonly Column<Row>[] = [
  { header: 'Record', cell: ({ external_id, line }) => external_id ?? (line && `line ${line}`) },
  { header: 'Field', width: '140px', from: 'medium', cell: ({ field }) => field },
  {
    header: 'Error',
    width: 'minmax(0, 3fr)',
    cell: ({ message, source_message }) => <span title={source_message ?? message}>{message}</span>,
  },
  { header: 'Next try', as: 'ago', width: '120px', from: 'wide', cell: ({ retry_at }) => retry_at },
  { header: 'Since', as: 'ago', from: 'small', cell: ({ first_failed_at }) => first_failed_at },
];

/** Records that the last attempts could not take over; they are retried with growing delays. */
export function FailingRecords({ query }: { query: ComponentProps<typeof DataTable<Row>>['query'] }) {
  return (
    <DataTable
      title="Records that fail"
      columns={columns}
      rowKey={({ external_id, line, field, first_failed_at }) => `${external_id}/${line}/${field}/${first_failed_at}`}
      query={query}
      empty={<EmptyState title="No record fails" />}
    />
  );
}
