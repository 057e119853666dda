import { useQuery } from '@tanstack/react-query';
import { buttonClass, Icon } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { linkColumn, TenantLink } from '../../components/links';
import { Screen } from '../../components/screen';
import { recordsName } from '../../components/words';
import { type Connector, useTenantId } from '../../data/api';
import { connectorsQuery } from '../../data/queries';
import { liveByEvents } from '../../data/query-client';
import { useMay } from '../../data/session';
import { scheduleOf } from './describe-source';

const columns: readonly Column<Connector>[] = [
  linkColumn('Source', 'minmax(0, 1.5fr)', 'name'),
  { header: 'Type', width: '110px', from: 'medium', cell: ({ type }) => <code>{type}</code> },
  { header: 'Lists', width: '100px', from: 'wide', cell: ({ records }) => recordsName(records) },
  { header: 'Priority', width: '100px', align: 'end', from: 'wide', cell: 'priority' },
  { header: 'Health', as: 'status', width: '130px', cell: 'health' },
  { header: 'Schedule', width: 'minmax(0, 1.5fr)', from: 'wide', cell: ({ schedule }) => scheduleOf(schedule) },
  { header: 'Complete as of', as: 'ago', width: '120px', from: 'small', cell: 'complete_as_of', none: 'Never' },
];

export function SourcesScreen() {
  const tenantId = useTenantId();
  const query = useQuery({ ...connectorsQuery(tenantId), ...liveByEvents });
  const add = useMay('admin') && (
    <TenantLink path="/source-setup" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" />
      New source
    </TenantLink>
  );
  return (
    <Screen
      title="Sources"
      description="The systems that people, accounts and machines come from. When they disagree, the lowest priority number wins."
      api="/connectors"
      cli="idsync connectors list"
      json={query.data}
      actions={add}
    >
      <DataTable
        title="Sources"
        untitled
        columns={columns}
        query={query}
        empty={{
          title: 'No source yet',
          text: 'A source lists people, accounts or machines: a file, a directory, a database or an identity provider.',
          action: add,
        }}
      />
    </Screen>
  );
}
