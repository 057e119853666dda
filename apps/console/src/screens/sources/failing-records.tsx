import type { ComponentProps } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import { Ago } from '../../components/time';
import type { FailingRecordPage } from '../../data/api';

type Row = FailingRecordPage['data'][number];

const columns: readonly Column<Row>[] = [
  {
    id: 'record',
    header: 'Record',
    width: 'minmax(0, 1fr)',
    cell: ({ external_id, line }) => external_id ?? (line === undefined ? '—' : `line ${line}`),
  },
  { id: 'field', header: 'Field', width: '140px', from: 'medium', cell: ({ field }) => field ?? '—' },
  {
    id: 'message',
    header: 'Error',
    width: 'minmax(0, 3fr)',
    cell: ({ message, source_message }) => <span title={source_message ?? message}>{message}</span>,
  },
  {
    id: 'retry',
    header: 'Next try',
    width: '120px',
    align: 'end',
    from: 'wide',
    cell: ({ retry_at }) => (retry_at ? <Ago at={retry_at} /> : '—'),
  },
  {
    id: 'since',
    header: 'Since',
    width: '110px',
    align: 'end',
    from: 'small',
    cell: ({ first_failed_at }) => <Ago at={first_failed_at} />,
  },
];

interface FailingRecordsProps {
  rows: readonly Row[];
  query: ComponentProps<typeof DataTable<Row>>['query'];
}

/** Records that the last attempts could not take over; they are retried with growing delays. */
export function FailingRecords({ rows, query }: FailingRecordsProps) {
  return (
    <DataTable
      label="Records that fail"
      columns={columns}
      rows={rows}
      rowKey={({ external_id, line, field, first_failed_at }) => `${external_id}/${line}/${field}/${first_failed_at}`}
      query={query}
      empty={<EmptyState title="No record fails" />}
    />
  );
}
