import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import choices from '../../components/choices.module.css';
import type { Column } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialog';
import { choicesOf } from '../../components/fields';
import { linkColumn } from '../../components/links';
import { ListScreen } from '../../components/list-screen';
import { notify } from '../../components/notices';
import { Ago, StatusBadge } from '../../components/values';
import { call, type OperatorJobPage, useFilters, useTenantId } from '../../data/api';
import { useSourceChoices, useSourceName } from '../../data/queries';
import { itemsOf, live, offsetPages } from '../../data/query-client';
import { type RunsSearch, runStatuses } from '../../data/searches';
import { useMay } from '../../data/session';
import { cancellable, durationOf, kindOf } from './describe-run';
import styles from './runs.module.css';

type OperatorJob = OperatorJobPage['data'][number];

const columnsOf = (sourceName: (id: string) => string): readonly Column<OperatorJob>[] => [
  linkColumn('Source', 'minmax(0, 2fr)', ({ connector_id }) => sourceName(connector_id), 'job_id'),
  { header: 'Reads', from: 'medium', cell: kindOf },
  { header: 'Status', as: 'status', width: '150px', cell: 'status' },
  { header: 'Progress', width: '120px', from: 'wide', cell: (job) => <Progress job={job} /> },
  { header: 'Records', as: 'count', width: '80px', from: 'medium', cell: 'records_read' },
  { header: 'Errors', as: 'count', width: '60px', from: 'wide', cell: (job) => job.records_failed || undefined },
  { header: 'Took', width: '90px', align: 'end', from: 'wide', cell: (job) => durationOf(job, Date.now()) },
  { header: 'Requested', as: 'ago', from: 'small', cell: 'created_at' },
];

export function RunsScreen() {
  const tenantId = useTenantId();
  const [{ status, source }] = useFilters<RunsSearch>();
  const query = useInfiniteQuery({
    ...offsetPages(['jobs', tenantId, { status, source }], (offset) =>
      call('GET /sync-jobs', { tenantId }, { status, connector_id: source, limit: 50, offset }),
    ),
    ...live,
  });
  const sources = useSourceChoices();
  const sourceName = useSourceName();
  return (
    <ListScreen<OperatorJob, RunsSearch>
      title="Runs"
      api="/sync-jobs"
      parameters={{ status, connector_id: source }}
      cli="idsync jobs list"
      filters={[
        { of: 'status', label: 'Status', choices: choicesOf(runStatuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      saved="runs"
      columns={columnsOf(sourceName)}
      rowKey={({ job_id }) => job_id}
      query={query}
      noMatch={{ title: 'No run matches' }}
      nothing={{ title: 'No run', text: 'A run starts by a schedule, an API request or “Run now” of a source.' }}
      actions={<CancelRuns runs={itemsOf(query.data)} />}
    />
  );
}

/** Cancels several of the listed runs with one reason. */
function CancelRuns({ runs }: { runs: readonly OperatorJob[] }) {
  const tenantId = useTenantId();
  const sourceName = useSourceName();
  const [kept, setKept] = useState<ReadonlySet<string>>();
  const client = useQueryClient();
  const unfinished = runs.filter(({ status }) => cancellable.includes(status));
  if (!useMay('operator') || (unfinished.length === 0 && !kept)) return null;
  const chosen = unfinished.filter(({ job_id }) => !kept?.has(job_id));
  const toggle = (id: string) => {
    const next = new Set(kept);
    if (!next.delete(id)) next.add(id);
    setKept(next);
  };
  const cancel = async (reason: string | undefined) => {
    const refusals: string[] = [];
    for (const { job_id: jobId, connector_id } of chosen)
      await call('POST /sync-jobs/{jobId}/cancel', { tenantId, jobId }, { ...(reason && { reason }) }).catch(
        (error: Error) => refusals.push(`${sourceName(connector_id)}: ${error.message}`),
      );
    await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
    if (refusals.length > 0) throw new Error(`Not cancelled: ${refusals.join('; ')}`);
    notify(chosen.length === 1 ? '1 run was cancelled' : `${chosen.length} runs were cancelled`);
  };
  return (
    <>
      <Button onClick={() => setKept(new Set())}>Cancel runs…</Button>
      <ConfirmDialog
        open={kept !== undefined}
        onOpenChange={(open) => !open && setKept(undefined)}
        title="Cancel runs"
        action={chosen.length === 1 ? 'Cancel 1 run' : `Cancel ${chosen.length} runs`}
        danger
        reason="required"
        isComplete={chosen.length > 0}
        onConfirm={cancel}
        fields={
          <fieldset className={choices.choices}>
            <legend className={choices.legend}>Unfinished runs of the list</legend>
            {unfinished.map(({ job_id, connector_id, status, created_at }) => (
              <label key={job_id} className={choices.choice}>
                <input type="checkbox" checked={!kept?.has(job_id)} onChange={() => toggle(job_id)} />
                <span className={choices.head}>
                  <strong dir="auto">{sourceName(connector_id)}</strong>
                  <StatusBadge status={status} />
                  <span className={choices.muted}>
                    <Ago at={created_at} />
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
        }
      >
        <p>Records that are already applied stay. What held runs have set aside is discarded.</p>
      </ConfirmDialog>
    </>
  );
}

/** Records applied of records known. A bar without a value while the total is not known. */
function Progress({ job }: { job: Pick<OperatorJob, 'status' | 'progress_pct'> }) {
  if (job.status === 'quarantined') return <span className={styles.progress}>Held</span>;
  const isUnknown = job.status === 'running' && job.progress_pct === 0;
  return (
    <span className={styles.progress}>
      <progress max={100} value={isUnknown ? undefined : job.progress_pct} aria-label="Progress" />
      <span>{job.progress_pct} %</span>
    </span>
  );
}
