import { formatDuration } from '../../components/format-time';
import { phasesOf } from './describe-run';
import styles from './phases.module.css';
import type { OperatorJob } from './runs-queries';

/** How the time of a run is divided. */
export function Phases({ run }: { run: OperatorJob }) {
  return (
    <ul className={styles.phases} aria-label="Phases">
      {phasesOf(run, Date.now()).map(({ title, ms, start, share }) => (
        <li key={title} className={styles.phase}>
          <span>{title}</span>
          <span className={styles.track} aria-hidden="true">
            <span
              className={styles.bar}
              data-phase={title}
              style={{ marginInlineStart: `min(${start}%, 100% - 3px)`, width: `${share}%` }}
            />
          </span>
          <span className={styles.time}>{formatDuration(ms)}</span>
        </li>
      ))}
    </ul>
  );
}
