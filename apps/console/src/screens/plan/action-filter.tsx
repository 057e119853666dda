import { formatCount } from '../../components/format-time';
import type { SyncPlan } from '../../data/api';
import styles from './action-filter.module.css';
import { actions, type PlanAction } from './plan-search';

export const actionNames = { create: 'New', update: 'Changed', disable: 'Disabled', delete: 'Deleted' };

interface ActionFilterProps {
  counts: SyncPlan['counts'];
  action: PlanAction | undefined;
  onChange: (action: PlanAction | undefined) => void;
}

/** Counts by kind, each of which filters the list. */
export function ActionFilter({ counts, action, onChange }: ActionFilterProps) {
  const total = actions.reduce((sum, each) => sum + counts[each], 0);
  return (
    <fieldset className={styles.filter} aria-label="Kind of change">
      <button type="button" aria-pressed={action === undefined} onClick={() => onChange(undefined)}>
        All <strong>{formatCount(total)}</strong>
      </button>
      {actions.map((each) => (
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
