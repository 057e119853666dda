import { type Column, DataTable, rowLink } from '../../components/data-table';
import { recordsName } from '../../components/record-names';
import { IdLink } from '../../components/tenant-link';
import type { Connector } from '../../data/api';

const columns: readonly Column<Connector>[] = [
  {
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => (
      <IdLink id={id} className={rowLink} dir="auto">
        {name}
      </IdLink>
    ),
  },
  { header: 'Type', from: 'medium', cell: ({ type }) => type },
  { header: 'Lists', from: 'wide', cell: ({ records }) => recordsName(records) },
  { header: 'Health', as: 'status', cell: ({ health }) => health },
  {
    header: 'Records read',
    as: 'count',
    width: '110px',
    from: 'medium',
    cell: ({ last_run }) => last_run?.records_read,
  },
  {
    header: 'Complete as of',
    as: 'ago',
    width: '120px',
    from: 'small',
    cell: ({ complete_as_of }) => complete_as_of,
    none: 'Never',
  },
];

export function SourceHealth({ sources }: { sources: readonly Connector[] }) {
  return <DataTable title="Sources" columns={columns} rows={sources} />;
}
