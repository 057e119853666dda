import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../components/button';
import { formatCount } from '../../components/format-time';
import { ErrorState, Loading, StatTile, StatTiles } from '../../components/page';
import { StatusBadge } from '../../components/values';
import { read, useTenantId } from '../../data/api';
import { jobQuery, startRun } from '../../data/queries';
import styles from './setup.module.css';

interface DryRunStepProps {
  sourceId: string;
  jobId: string | undefined;
  onStarted: (jobId: string) => void;
}

const finished = new Set(['completed', 'completed_with_errors']);

/** Reads the whole source and shows what a run would change, without changing anything. */
export function DryRunStep({ sourceId, jobId, onStarted }: DryRunStepProps) {
  const tenantId = useTenantId();
  const [error, setError] = useState<Error>();
  const start = async () => {
    setError(undefined);
    try {
      onStarted((await startRun(tenantId, sourceId, true)).job_id);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <div className={styles.form}>
      <p className={styles.hint}>
        A dry run reads the whole source and stores its plan. Nothing in the directory changes.
      </p>
      {error && <ErrorState error={error} />}
      {jobId ? (
        <Result jobId={jobId} onAgain={start} />
      ) : (
        <div className={styles.row}>
          <Button look="primary" onClick={start}>
            Start the dry run
          </Button>
        </div>
      )}
    </div>
  );
}

function Result({ jobId, onAgain }: { jobId: string; onAgain: () => void }) {
  const tenantId = useTenantId();
  const job = useQuery(jobQuery(tenantId, jobId));
  const isDone = finished.has(job.data?.status ?? '');
  const plan = useQuery({
    ...read('jobs', 'GET /sync-jobs/{jobId}/plan', { tenantId, jobId }, { limit: 1 }),
    enabled: isDone,
  });
  if (job.isLoadingError) return <ErrorState error={job.error} onRetry={job.refetch} />;
  if (!job.data) return <Loading rows={2} />;
  const { status, records_read, records_failed, error_message, note } = job.data;
  const counts = plan.data?.counts;
  return (
    <>
      <div className={styles.row}>
        <StatusBadge status={status} />
        <span className={styles.hint}>
          {formatCount(records_read)} records read{records_failed > 0 && `, ${formatCount(records_failed)} fail`}
        </span>
      </div>
      {error_message && (
        <p role="alert" className={styles.failure}>
          {error_message}
        </p>
      )}
      {note && <p className={styles.hint}>{note}</p>}
      {counts && (
        <StatTiles>
          <StatTile label="Would be added" value={formatCount(counts.create)} />
          <StatTile label="Changed" value={formatCount(counts.update)} />
          <StatTile
            label="Disabled"
            value={formatCount(counts.disable)}
            tone={counts.disable > 0 ? 'warn' : undefined}
          />
          <StatTile label="Deleted" value={formatCount(counts.delete)} tone={counts.delete > 0 ? 'bad' : undefined} />
        </StatTiles>
      )}
      <div className={styles.row}>
        {isDone && (
          <Link
            from="/$tenantId/source-setup"
            to="/$tenantId/runs/$jobId/plan"
            params={{ jobId }}
            className={buttonClass()}
          >
            Review the plan
          </Link>
        )}
        <Button look="quiet" onClick={onAgain}>
          Read again
        </Button>
      </div>
    </>
  );
}
