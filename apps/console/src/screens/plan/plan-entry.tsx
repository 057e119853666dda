import { type Change, FieldDiff } from '../../components/field-diff';
import type { Tone } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { IdLink } from '../../components/tenant-link';
import type { SyncPlan } from '../../data/api';
import { actionNames } from './action-filter';
import { DeletedValues } from './deleted-values';
import styles from './plan-entry.module.css';
import type { PlanAction } from './plan-search';

const tones: Record<PlanAction, Tone> = { create: 'ok', update: 'info', disable: 'warn', delete: 'bad' };

/** One record of the plan with the fields that would change. */
export function PlanEntry({ entry }: { entry: SyncPlan['data'][number] }) {
  const { record, identity_id, display_name, changes, done } = entry;
  const action = entry.action as PlanAction;
  const statusBefore = (changes as unknown as Change[]).find(({ field }) => field === 'status')?.from;
  // All changes are from the source of the run, and a deletion changes the status only.
  const shown = (changes as unknown as Change[])
    .filter(({ field }) => action !== 'delete' || field !== 'status')
    .map(({ field, from, to }) => ({ field, from, to }));
  // The identity of a machine is its owner.
  const machineId = record.kind === 'machine_identity' ? record.id : undefined;
  const linked = machineId ?? identity_id;
  const name = linked && !machineId ? display_name : newName(shown);
  return (
    <article className={styles.entry}>
      <header className={styles.head}>
        <StatusBadge tone={tones[action]}>{actionNames[action]}</StatusBadge>
        {linked ? (
          <IdLink id={linked} className={styles.name} dir="auto">
            {name ?? record.external_id}
          </IdLink>
        ) : (
          <span className={styles.name} dir="auto">
            {name ?? record.external_id}
          </span>
        )}
        <code className={styles.id} dir="auto">
          {record.external_id}
        </code>
        <span className={styles.kind}>{record.kind.replace('_', ' ')}</span>
        {action === 'delete' && typeof statusBefore === 'string' && (
          <span className={styles.kind}>was {statusBefore}</span>
        )}
        {done && <span className={styles.kind}>applied</span>}
      </header>
      {action === 'create' && shown.length > 0 && (
        <details className={styles.fields}>
          <summary>
            {shown.length} fields<span className="visually-hidden"> of {record.external_id}</span>
          </summary>
          <FieldDiff changes={shown} />
        </details>
      )}
      {action === 'delete' && identity_id && record.id && (
        <DeletedValues identityId={identity_id} recordId={record.id} externalId={record.external_id} />
      )}
      {action !== 'create' && shown.length > 0 && <FieldDiff changes={shown} />}
    </article>
  );
}

/** Name of a person who is not known yet. */
function newName(changes: readonly Change[]): string | undefined {
  const toOf = (field: string) => changes.find((change) => change.field === field)?.to;
  const parts = [toOf('first_name'), toOf('last_name')].filter((part) => typeof part === 'string');
  const shown = toOf('display_name') ?? (parts.length > 0 ? parts.join(' ') : undefined);
  return typeof shown === 'string' ? shown : undefined;
}
