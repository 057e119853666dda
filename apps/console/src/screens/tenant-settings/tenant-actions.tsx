import { useState } from 'react';
import { ConfirmButton } from '../../components/confirm-dialog';
import { TextField } from '../../components/fields';
import { FormButton } from '../../components/form-dialog';
import { call, type Tenant } from '../../data/api';

const refresh = ['tenants'];

/** Renames, suspends and resumes a tenant. */
export function TenantActions({ tenant }: { tenant: Tenant }) {
  const [name, setName] = useState(tenant.name);
  const isSuspended = tenant.suspended_at !== undefined;
  const action = isSuspended ? 'Resume' : 'Suspend';
  const change = (body: { name?: string; suspended?: boolean }) => call('PATCH ', { tenantId: tenant.id }, body);
  const rename = async () => {
    await change({ name: name.trim() });
    return undefined;
  };
  return (
    <>
      <FormButton
        label="Rename…"
        title="Rename the tenant"
        action="Rename"
        isReady={name.trim() !== ''}
        done="Renamed."
        refresh={refresh}
        onOpen={() => setName(tenant.name)}
        onSubmit={rename}
      >
        <TextField label="Name" value={name} onChange={setName} maxLength={200} dir="auto" />
      </FormButton>
      <ConfirmButton
        label={`${action}…`}
        title={`${action} ${tenant.name}?`}
        action={action}
        danger={!isSuspended}
        done={isSuspended ? 'Resumed.' : 'Suspended.'}
        refresh={refresh}
        onConfirm={() => change({ suspended: !isSuspended })}
      >
        <p>
          {isSuspended
            ? 'Its keys work again, and its sources are read again by their schedules.'
            : 'Its keys answer 403, and no source is read. Nothing is deleted; it can be resumed at any time.'}
        </p>
      </ConfirmButton>
    </>
  );
}
