import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { Icon } from '../../components/icon';
import { Page, Section } from '../../components/page';
import { recordsName } from '../../components/record-names';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import type { Connector } from '../../data/api';
import { connectorsQuery } from '../../data/connectors';
import { liveByEvents } from '../../data/query-client';
import { scheduleOf } from './describe-source';

const route = getRouteApi('/signed-in/$tenantId/sources');

const columns: readonly Column<Connector>[] = [
  {
    id: 'name',
    header: 'Source',
    width: 'minmax(0, 1.5fr)',
    cell: ({ id, name }) => (
      <Link
        from="/$tenantId/sources"
        to="/$tenantId/sources/$connectorId"
        params={{ connectorId: id }}
        className={rowLink}
        dir="auto"
      >
        {name}
      </Link>
    ),
  },
  { id: 'type', header: 'Type', width: '110px', from: 'medium', cell: ({ type }) => <code>{type}</code> },
  { id: 'records', header: 'Lists', width: '100px', from: 'wide', cell: ({ records }) => recordsName(records) },
  {
    id: 'priority',
    header: 'Priority',
    width: '100px',
    align: 'end',
    from: 'wide',
    cell: ({ priority }) => priority,
  },
  { id: 'health', header: 'Health', width: '130px', cell: ({ health }) => <StatusBadge status={health} /> },
  {
    id: 'schedule',
    header: 'Schedule',
    width: 'minmax(0, 1.5fr)',
    from: 'wide',
    cell: ({ schedule }) => scheduleOf(schedule),
  },
  {
    id: 'complete',
    header: 'Complete as of',
    width: '120px',
    align: 'end',
    from: 'small',
    cell: ({ complete_as_of }) => (complete_as_of ? <Ago at={complete_as_of} /> : 'Never'),
  },
];

export function SourcesScreen() {
  const { tenantId } = route.useParams();
  const query = useQuery({ ...connectorsQuery(tenantId), ...liveByEvents });
  const add = useMay('admin') && (
    <Link from="/$tenantId/sources" to="/$tenantId/source-setup" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" />
      New source
    </Link>
  );
  return (
    <Page
      title="Sources"
      description="The systems that people, accounts and machines come from. When they disagree, the lowest priority number wins."
      actions={
        <>
          <CopyAs path={`/admin/v1/tenants/${tenantId}/connectors`} cli="idsync connectors list" json={query.data} />
          {add}
        </>
      }
    >
      <Section title="Sources" untitled flush>
        <DataTable
          label="Sources"
          columns={columns}
          rows={query.data?.data ?? []}
          rowKey={({ id }) => id}
          query={query}
          empty={
            <EmptyState title="No source yet" action={add}>
              A source lists people, accounts or machines: a file, a directory, a database or an identity provider.
            </EmptyState>
          }
        />
      </Section>
    </Page>
  );
}
