import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { TextField } from '../../components/fields';
import { FormDialog } from '../../components/form-dialog';
import { notify } from '../../components/notices';
import { call, type Tenant } from '../../data/api';

/** Renames, suspends and resumes a tenant. */
export function TenantActions({ tenant }: { tenant: Tenant }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<'rename' | 'suspend'>();
  const [name, setName] = useState(tenant.name);
  const isSuspended = tenant.suspended_at !== undefined;
  const change = async (body: { name?: string; suspended?: boolean }, done: string) => {
    const ids = { tenantId: tenant.id };
    await call('PATCH ', ids, body);
    notify(done);
    await client.invalidateQueries({ queryKey: ['tenants'] });
  };
  return (
    <>
      <Button onClick={() => setAsked('rename')}>Rename…</Button>
      <Button onClick={() => setAsked('suspend')}>{isSuspended ? 'Resume…' : 'Suspend…'}</Button>
      {asked === 'rename' && (
        <FormDialog
          title="Rename the tenant"
          action="Rename"
          isReady={name.trim() !== ''}
          onClose={() => setAsked(undefined)}
          onSubmit={async () => {
            await change({ name: name.trim() }, 'Renamed.');
            setAsked(undefined);
          }}
        >
          <TextField label="Name" value={name} onChange={setName} maxLength={200} dir="auto" />
        </FormDialog>
      )}
      <ConfirmDialog
        open={asked === 'suspend'}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={isSuspended ? `Resume ${tenant.name}?` : `Suspend ${tenant.name}?`}
        action={isSuspended ? 'Resume' : 'Suspend'}
        danger={!isSuspended}
        onConfirm={() => change({ suspended: !isSuspended }, isSuspended ? 'Resumed.' : 'Suspended.')}
      >
        <p>
          {isSuspended
            ? 'Its keys work again, and its sources are read again by their schedules.'
            : 'Its keys answer 403, and no source is read. Nothing is deleted; it can be resumed at any time.'}
        </p>
      </ConfirmDialog>
    </>
  );
}
