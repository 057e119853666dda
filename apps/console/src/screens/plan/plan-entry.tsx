import { type PlanAction, planActions } from '@idsync/contracts/fixed-values';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount } from '../../components/format-time';
import { IdLink } from '../../components/links';
import { type Change, Facts, FieldDiff, StatusBadge } from '../../components/values';
import { shownValue, type Tone } from '../../components/words';
import { type SyncPlan, useTenantId } from '../../data/api';
import { identityQuery } from '../../data/queries';
import { recordValues } from './describe-plan';
import styles from './plan-entry.module.css';

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

interface DeletedValuesProps {
  identityId: string;
  recordId: string;
  externalId: string;
}

/** The present values of a record that would be deleted, read when they are opened. */
function DeletedValues({ identityId, recordId, externalId }: DeletedValuesProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...identityQuery(useTenantId(), identityId), enabled: isOpen });
  const values = data && recordValues(data, recordId);
  return (
    <details className={styles.fields} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Present values<span className="visually-hidden"> of {externalId}</span>
      </summary>
      {error && <p>{error.message}</p>}
      {values && <Facts items={values.map(([field, value]) => [field, shownValue(value)] as const)} />}
      {data && !values && <p>The record no longer belongs to this person.</p>}
    </details>
  );
}

const actionNames = { create: 'New', update: 'Changed', disable: 'Disabled', delete: 'Deleted' };

interface ActionFilterProps {
  counts: SyncPlan['counts'];
  action: PlanAction | undefined;
  onChange: (action: PlanAction | undefined) => void;
}

/** Counts by kind, each of which filters the list. */
export function ActionFilter({ counts, action, onChange }: ActionFilterProps) {
  const total = planActions.reduce((sum, each) => sum + counts[each], 0);
  return (
    <fieldset className={styles.filter} aria-label="Kind of change">
      <button type="button" aria-pressed={action === undefined} onClick={() => onChange(undefined)}>
        All <strong>{formatCount(total)}</strong>
      </button>
      {planActions.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={action === each}
          disabled={counts[each] === 0}
          onClick={() => onChange(each)}
        >
          {actionNames[each]} <strong className={styles[each]}>{formatCount(counts[each])}</strong>
        </button>
      ))}
    </fieldset>
  );
}
