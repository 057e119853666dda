import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../components/button';
import { Time } from '../../components/time';
import type { LifecycleEvent } from '../../data/api';
import styles from './time-travel.module.css';

const route = getRouteApi('/signed-in/$tenantId/people/$identityId');

/** A slider over the moments at which the person changed, and now; a second one chooses the moment to compare with. */
export function TimeTravel({ events }: { events: readonly LifecycleEvent[] }) {
  const { at, and } = route.useSearch();
  const navigate = route.useNavigate();
  const moments = [...new Set(events.map(({ occurred_at }) => occurred_at))];
  if (moments.length === 0) return null;
  const go = (search: { at?: string; and?: string }) =>
    navigate({ search: (old) => ({ ...old, ...search }), replace: true, resetScroll: false });
  return (
    <div className={styles.bar}>
      <Moments label="Time" moments={moments} at={at} onChange={(moment) => go({ at: moment })} />
      {at && and && (
        <Moments
          label="Compared with"
          moments={moments}
          at={and === 'now' ? undefined : and}
          onChange={(moment) => go({ and: moment ?? 'now' })}
        />
      )}
      {at && (
        <span className={styles.actions}>
          <Button small onClick={() => go({ and: and ? undefined : 'now' })} aria-pressed={and !== undefined}>
            Compare
          </Button>
          <Button small look="quiet" onClick={() => go({ at: undefined, and: undefined })}>
            Back to now
          </Button>
        </span>
      )}
    </div>
  );
}

interface MomentsProps {
  label: string;
  moments: readonly string[];
  /** The present if absent. */
  at: string | undefined;
  onChange: (at: string | undefined) => void;
}

function Moments({ label, moments, at, onChange }: MomentsProps) {
  // The last position is the present.
  const position =
    at === undefined
      ? moments.length
      : Math.max(
          0,
          moments.findLastIndex((moment) => moment <= at),
        );
  return (
    <div className={styles.moment}>
      <label className={styles.slider}>
        <span className={styles.label}>{label}</span>
        <input
          type="range"
          min={0}
          max={moments.length}
          value={position}
          aria-valuetext={at ?? 'now'}
          onChange={(event) => onChange(moments[Number(event.target.value)])}
        />
      </label>
      <output className={styles.at}>{at ? <Time at={at} /> : 'Now'}</output>
    </div>
  );
}
