import styles from './runs.module.css';
import type { OperatorJob } from './runs-queries';

/** Records applied of records known. A bar without a value while the total is not known. */
export function Progress({ job }: { job: Pick<OperatorJob, 'status' | 'progress_pct'> }) {
  if (job.status === 'quarantined') return <span className={styles.progress}>Held</span>;
  const isUnknown = job.status === 'running' && job.progress_pct === 0;
  return (
    <span className={styles.progress}>
      <progress max={100} value={isUnknown ? undefined : job.progress_pct} aria-label="Progress" />
      <span>{job.progress_pct} %</span>
    </span>
  );
}
