import { type Column, DataTable } from '../../components/data-table';
import type { OperatorJobWithErrors } from '../../data/api';

type RunError = OperatorJobWithErrors['errors'][number];

const columns: readonly Column<RunError>[] = [
  { header: 'Record', cell: ({ external_id, line }) => external_id ?? (line && `line ${line}`) },
  { header: 'Line', width: '70px', align: 'end', from: 'wide', cell: ({ line }) => line },
  { header: 'Field', width: '140px', from: 'medium', cell: ({ field }) => field },
  {
    header: 'Error',
    width: 'minmax(0, 3fr)',
    cell: ({ message, source_message }) => <span title={source_message}>{message}</span>,
  },
];

/** The first errors of records; `GET …/connectors/{id}/errors` lists all that are still open. */
export function RunErrors({ errors }: { errors: readonly RunError[] }) {
  const keyOf = (error: RunError) => String(errors.indexOf(error));
  return <DataTable title="Records that failed" columns={columns} rows={errors} rowKey={keyOf} />;
}
