import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../components/button';
import { Time } from '../../components/time';
import type { LifecycleEvent } from '../../data/api';
import styles from './time-travel.module.css';

const route = getRouteApi('/signed-in/$tenantId/people/$identityId');

/** A slider over the moments at which the person changed, and now. */
export function TimeTravel({ events }: { events: readonly LifecycleEvent[] }) {
  const { at, and } = route.useSearch();
  const navigate = route.useNavigate();
  const moments = [...new Set(events.map(({ occurred_at }) => occurred_at))];
  if (moments.length === 0) return null;
  // The last position is the present.
  const position =
    at === undefined
      ? moments.length
      : Math.max(
          0,
          moments.findLastIndex((moment) => moment <= at),
        );
  const go = (search: { at?: string; and?: string }) =>
    navigate({ search: (old) => ({ ...old, ...search }), replace: true, resetScroll: false });
  return (
    <div className={styles.bar}>
      <label className={styles.slider}>
        <span className={styles.label}>Time</span>
        <input
          type="range"
          min={0}
          max={moments.length}
          value={position}
          aria-valuetext={at ?? 'now'}
          onChange={(event) => go({ at: moments[Number(event.target.value)] })}
        />
      </label>
      <output className={styles.at}>{at ? <Time at={at} /> : 'Now'}</output>
      {at && (
        <>
          <Button small onClick={() => go({ and: and ? undefined : 'now' })} aria-pressed={and !== undefined}>
            Compare with now
          </Button>
          <Button small look="quiet" onClick={() => go({ at: undefined, and: undefined })}>
            Back to now
          </Button>
        </>
      )}
    </div>
  );
}
