import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { buttonClass, Icon } from '../../components/button';
import styles from '../../components/choices.module.css';
import { ConfirmDialog } from '../../components/dialog';
import { MenuItem, PopupMenu } from '../../components/menu';
import menu from '../../components/menu.module.css';
import { StatusBadge } from '../../components/values';
import { describeLink } from '../../components/words';
import { call, type Explanation, type Identity, useTenantId } from '../../data/api';
import { operationDone } from '../../data/operations';
import { nameOf } from '../../data/person';
import { useSourceName } from '../../data/queries';
import { useMay } from '../../data/session';
import { MergeDialog } from './merge-dialog';

/** The actions of an operator on the identity; a viewer sees none. */
export function IdentityActions({ identity, records }: { identity: Identity; records: Explanation['records'] }) {
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

interface SplitDialogProps {
  identityId: string;
  name: string;
  records: Explanation['records'];
  onClose: () => void;
}

/** Chooses the records that belong to another person. */
function SplitDialog({ identityId, name, records, onClose }: SplitDialogProps) {
  const tenantId = useTenantId();
  const sourceName = useSourceName();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const split = async (reason: string | undefined) => {
    const operation = await call(
      'POST /identities/{identityId}/split',
      { tenantId, identityId },
      { record_ids: [...chosen], reason },
    );
    await operationDone(tenantId, operation, `${name} was split. The history can revert it.`);
  };
  const staying = records.length - chosen.size;
  return (
    <ConfirmDialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={`Split ${name}`}
      action="Split"
      reason="required"
      isComplete={chosen.size > 0 && staying > 0}
      refresh={[]}
      onConfirm={split}
      fields={
        <fieldset className={styles.choices}>
          <legend className={styles.legend}>Records of the other person</legend>
          {records.map((record) => (
            <label key={record.id} className={styles.choice}>
              <input type="checkbox" checked={chosen.has(record.id)} onChange={() => toggle(record.id)} />
              <span className={styles.text}>
                <span className={styles.head}>
                  <strong dir="auto">{sourceName(record.connector_id)}</strong>
                  <span className={styles.muted}>{record.kind.replace('_', ' ')}</span>
                  <StatusBadge status={record.status} />
                </span>
                <span className={styles.external} dir="auto">
                  {record.external_id}
                </span>
                <span className={styles.muted}>{describeLink(record)}</span>
              </span>
            </label>
          ))}
          <p className={styles.note} role="status">
            {outcomeOf(chosen.size, staying)}
          </p>
        </fieldset>
      }
    >
      <p>
        The chosen records become a new person with a new id, and stay apart from this one. A split can be reverted.
      </p>
    </ConfirmDialog>
  );
}

function outcomeOf(moving: number, staying: number): string {
  if (moving === 0) return 'Choose the records that belong to another person.';
  if (staying === 0) return 'At least one record must stay.';
  return `${moving} ${moving === 1 ? 'record becomes' : 'records become'} a new person, ${staying} ${staying === 1 ? 'stays' : 'stay'}.`;
}
