import { formatDuration } from '../../components/format-time';
import type { OperatorJobPage } from '../../data/api';
import { phasesOf } from './describe-run';
import styles from './phases.module.css';
import runs from './runs.module.css';

export type OperatorJob = OperatorJobPage['data'][number];

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

/** Records applied of records known. A bar without a value while the total is not known. */
export function Progress({ job }: { job: Pick<OperatorJob, 'status' | 'progress_pct'> }) {
  if (job.status === 'quarantined') return <span className={runs.progress}>Held</span>;
  const isUnknown = job.status === 'running' && job.progress_pct === 0;
  return (
    <span className={runs.progress}>
      <progress max={100} value={isUnknown ? undefined : job.progress_pct} aria-label="Progress" />
      <span>{job.progress_pct} %</span>
    </span>
  );
}
