import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button';
import type { Column } from '../../components/data-table';
import { DataTable, rowLink } from '../../components/data-table';
import { TextField } from '../../components/fields';
import { FormDialog } from '../../components/form-dialog';
import { Icon } from '../../components/icon';
import { IdChip } from '../../components/id-chip';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { useMay, useSession } from '../../data/access';
import { answerOf, api, type Tenant } from '../../data/api';
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
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const [name, setName] = useState('');
  const isInstallation = !useSession().actor.tenants;
  const mayCreate = useMay('admin') && isInstallation;
  const create = async () => {
    const { id } = await answerOf(api.POST('/admin/v1/tenants', { body: { name: name.trim() } }));
    await client.invalidateQueries({ queryKey: ['tenants'] });
    await navigate({ to: '/$tenantId', params: { tenantId: id } });
  };
  const add = mayCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      New tenant
    </Button>
  );
  return (
    <main>
      <Page title="Tenants" description="Each tenant has its own people, sources, keys and webhooks." actions={add}>
        <Section title="All tenants" untitled flush>
          <DataTable
            label="Tenants"
            columns={columns}
            rows={query.data?.data ?? []}
            rowKey={({ id }) => id}
            query={query}
            empty={
              <EmptyState title="No tenant yet" action={add}>
                A tenant is a company or a part of it.
              </EmptyState>
            }
          />
        </Section>
        {isCreating && (
          <FormDialog
            title="New tenant"
            action="Create"
            isReady={name.trim() !== ''}
            onClose={() => setCreating(false)}
            onSubmit={create}
          >
            <TextField label="Name" value={name} onChange={setName} maxLength={200} autoComplete="off" dir="auto" />
          </FormDialog>
        )}
      </Page>
    </main>
  );
}
