import { useState } from 'react';
import styles from '../../components/choices.module.css';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { describeLink } from '../../components/describe-link';
import { StatusBadge } from '../../components/status-badge';
import { call, type Explanation } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import { operationDone } from '../../data/operations';
import { useTenantId } from '../../data/use-tenant';

interface SplitDialogProps {
  identityId: string;
  name: string;
  records: Explanation['records'];
  onClose: () => void;
}

/** Chooses the records that belong to another person. */
export function SplitDialog({ identityId, name, records, onClose }: SplitDialogProps) {
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
