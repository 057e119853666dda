import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { FormButton } from '../../components/dialog';
import { TextField } from '../../components/fields';
import { Page } from '../../components/page';
import { IdChip, Time } from '../../components/values';
import { callInstallation, type Tenant } from '../../data/api';
import { tenantsQuery } from '../../data/queries';
import { useMay, useSession } from '../../data/session';

const columns: readonly Column<Tenant>[] = [
  {
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/$tenantId" params={{ tenantId: id }} className={rowLink} dir="auto">
        {name}
      </Link>
    ),
  },
  { header: 'Status', as: 'status', cell: ({ suspended_at }) => (suspended_at ? 'suspended' : 'active') },
  { header: 'Id', width: '210px', from: 'medium', cell: ({ id }) => <IdChip id={id} /> },
  { header: 'Created', width: '200px', from: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function TenantsScreen() {
  const isInstallation = !useSession().actor.tenants;
  const add = useMay('admin') && isInstallation && <NewTenant />;
  return (
    <main>
      <Page title="Tenants" description="Each tenant has its own people, sources, keys and webhooks." actions={add}>
        <DataTable
          title="Tenants"
          untitled
          columns={columns}
          query={useQuery(tenantsQuery)}
          empty={{ title: 'No tenant yet', text: 'A tenant is a company or a part of it.', action: add }}
        />
      </Page>
    </main>
  );
}

function NewTenant() {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = async () => {
    const { id } = await callInstallation('POST /tenants', {}, { name: name.trim() });
    await navigate({ to: '/$tenantId', params: { tenantId: id } });
    return undefined;
  };
  return (
    <FormButton
      label="New tenant"
      icon="plus"
      look="primary"
      title="New tenant"
      action="Create"
      isReady={name.trim() !== ''}
      refresh={['tenants']}
      onOpen={() => setName('')}
      onSubmit={create}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={200} dir="auto" />
    </FormButton>
  );
}
