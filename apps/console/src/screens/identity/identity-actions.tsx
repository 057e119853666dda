import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { buttonClass } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Icon } from '../../components/icon';
import { MenuItem, PopupMenu } from '../../components/menu';
import menu from '../../components/menu.module.css';
import { useMay } from '../../data/access';
import { call, type Explanation, type Identity } from '../../data/api';
import { operationDone } from '../../data/operations';
import { nameOf } from '../../data/person';
import { useTenantId } from '../../data/use-tenant';
import { MergeDialog } from './merge-dialog';
import { SplitDialog } from './split-dialog';

interface IdentityActionsProps {
  identity: Identity;
  records: Explanation['records'];
}

/** What an operator may do with the identity; nothing is shown to a viewer. */
export function IdentityActions({ identity, records }: IdentityActionsProps) {
  const tenantId = useTenantId();
  const [asked, setAsked] = useState<'merge' | 'split' | 'erase'>();
  const mayMove = useMay('operator');
  const mayErase = useMay('admin');
  const client = useQueryClient();
  const name = nameOf(identity);
  const path = { tenantId, identityId: identity.id };
  const close = () => setAsked(undefined);
  if (!mayMove) return null;
  const erase = async (reason: string | undefined) => {
    const operation = await call('POST /identities/{identityId}/erase', path, {
      keep_out: true,
      ...(reason && { reason }),
    });
    await operationDone(tenantId, operation, `${name} was erased`);
    await client.invalidateQueries({ queryKey: ['identity', tenantId, identity.id] });
  };
  return (
    <>
      <PopupMenu
        className={buttonClass()}
        trigger={
          <>
            Actions
            <Icon name="chevron" />
          </>
        }
        align="end"
      >
        <MenuItem onClick={() => setAsked('merge')}>Merge…</MenuItem>
        <MenuItem disabled={records.length < 2} onClick={() => setAsked('split')}>
          Split…
        </MenuItem>
        {mayErase && (
          <>
            <div className={menu.line} />
            <MenuItem onClick={() => setAsked('erase')}>Erase…</MenuItem>
          </>
        )}
      </PopupMenu>
      {asked === 'merge' && <MergeDialog identity={identity} onClose={close} />}
      {asked === 'split' && <SplitDialog identityId={identity.id} name={name} records={records} onClose={close} />}
      <ConfirmDialog
        open={asked === 'erase'}
        onOpenChange={(open) => !open && close()}
        title={`Erase ${name}?`}
        action="Erase permanently"
        danger
        reason="required"
        typed={name}
        onConfirm={erase}
      >
        <p>All records, values and the history of this person are deleted, and subscribers are told to delete them.</p>
        <p>This cannot be reverted. The person is left out when a source lists them again.</p>
      </ConfirmDialog>
    </>
  );
}
