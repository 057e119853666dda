import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/data-table';
import { DataTable, rowLink } from '../../components/data-table';
import { IdChip } from '../../components/id-chip';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import type { Tenant } from '../../data/api';
import { tenantsQuery } from '../../data/tenants';

const columns: readonly Column<Tenant>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/$tenantId" params={{ tenantId: id }} className={rowLink} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '120px',
    cell: ({ suspended_at }) => <StatusBadge status={suspended_at ? 'suspended' : 'active'} />,
  },
  { id: 'id', header: 'Id', width: '210px', from: 'medium', cell: ({ id }) => <IdChip id={id} /> },
  {
    id: 'created',
    header: 'Created',
    width: '200px',
    from: 'wide',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];

export function TenantsScreen() {
  const query = useQuery(tenantsQuery);
  return (
    <main>
      <Page title="Tenants" description="Each tenant has its own people, sources, keys and webhooks.">
        <Section title="All tenants" untitled flush>
          <DataTable
            label="Tenants"
            columns={columns}
            rows={query.data?.data ?? []}
            rowKey={({ id }) => id}
            query={query}
            empty={
              <EmptyState title="No tenant yet">
                Create one with <code>idsync tenants create NAME</code>.
              </EmptyState>
            }
          />
        </Section>
      </Page>
    </main>
  );
}
