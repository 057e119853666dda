import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import type { OperatorJobWithErrors } from '../../data/api';

type RunError = OperatorJobWithErrors['errors'][number];

const columns: readonly Column<RunError>[] = [
  {
    id: 'record',
    header: 'Record',
    width: 'minmax(0, 1fr)',
    cell: ({ external_id, line }) => external_id ?? (line === undefined ? '—' : `line ${line}`),
  },
  { id: 'line', header: 'Line', width: '70px', align: 'end', from: 'wide', cell: ({ line }) => line ?? '—' },
  { id: 'field', header: 'Field', width: '140px', from: 'medium', cell: ({ field }) => field ?? '—' },
  {
    id: 'message',
    header: 'Error',
    width: 'minmax(0, 3fr)',
    cell: ({ message, source_message }) => <span title={source_message}>{message}</span>,
  },
];
const noQuery = { isPending: false, error: null, refetch: () => {} };

/** The first errors of records; `GET …/connectors/{id}/errors` lists all that are still open. */
export function RunErrors({ errors }: { errors: readonly RunError[] }) {
  const rows = errors.map((error, index) => ({ ...error, index }));
  return (
    <DataTable
      label="Records that failed"
      columns={columns}
      rows={rows}
      rowKey={(row) => String(rows.indexOf(row as (typeof rows)[number]))}
      query={noQuery}
      empty={<EmptyState title="No record failed" />}
    />
  );
}
