import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { CopyAs } from '../../components/copy-as';
import { Facts } from '../../components/facts';
import { formatCount } from '../../components/format-time';
import { holdMessage } from '../../components/hold-message';
import { IdChip } from '../../components/id-chip';
import { Page, Section } from '../../components/page';
import { StatTile, StatTiles } from '../../components/stat-tile';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago, Time } from '../../components/time';
import { useMay } from '../../data/access';
import { call, type OperatorJobWithErrors } from '../../data/api';
import { useConnectorNames } from '../../data/connectors';
import { jobQuery } from '../../data/jobs';
import { cancellable } from './cancellable';
import { appliedWords, durationOf, kindOf, stepsOf } from './describe-run';
import { Phases } from './phases';
import { RunErrors } from './run-errors';
import styles from './runs.module.css';

const route = getRouteApi('/signed-in/$tenantId/runs/$jobId');

export function RunScreen() {
  const { tenantId, jobId } = route.useParams();
  const { data: run, error, refetch } = useQuery(jobQuery(tenantId, jobId));
  const sourceName = useConnectorNames(tenantId);
  if (!run) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const name = sourceName(run.connector_id);
  return (
    <Page
      title={`Run of ${name}`}
      beside={<StatusBadge status={run.status} />}
      description={
        <>
          <span>{kindOf(run)}</span>
          <IdChip id={run.job_id} />
          <span>
            requested <Ago at={run.created_at} />
          </span>
          {run.started_at && (
            <span>
              {run.completed_at || run.status === 'quarantined' ? 'took' : 'running for'} {durationOf(run, Date.now())}
            </span>
          )}
        </>
      }
      actions={
        <>
          <CopyAs
            path={`/admin/v1/tenants/${tenantId}/sync-jobs/${jobId}`}
            cli={`idsync jobs show ${jobId}`}
            json={run}
          />
          {(run.status === 'quarantined' || run.dry_run) && (
            <Link
              from="/$tenantId/runs/$jobId"
              to="/$tenantId/runs/$jobId/plan"
              className={buttonClass({ look: 'primary' })}
            >
              Open plan
            </Link>
          )}
          <CancelRun tenantId={tenantId} run={run} name={name} />
        </>
      }
    >
      <StatTiles>
        <StatTile
          label="Progress"
          value={run.status === 'quarantined' ? 'Held' : `${run.progress_pct} %`}
          tone={run.status === 'quarantined' ? 'warn' : undefined}
          about={batchesOf(run)}
        />
        <StatTile label="Records read" value={formatCount(run.records_read)} />
        <StatTile {...appliedWords(run)} value={formatCount(run.records_applied)} />
        <StatTile label="Deleted" value={formatCount(run.records_deleted)} />
        <StatTile
          label="Failed"
          value={formatCount(run.records_failed)}
          tone={run.records_failed > 0 ? 'bad' : undefined}
          about={run.fields_left_out ? `${formatCount(run.fields_left_out)} fields left out` : undefined}
        />
      </StatTiles>
      {(run.error_message || run.waits_for || run.stalled) && (
        <Section title="Reason">
          <Facts
            items={[
              ['Message', run.error_message && holdMessage(run.error_message)],
              ['Code', run.error_code],
              ['Text of the source', run.source_message],
              ['Waits for', run.waits_for && `${run.waits_for.job_id} (${run.waits_for.status})`],
              ['Stalled', run.stalled ? 'Yes: no progress since its last record' : undefined],
            ]}
          />
        </Section>
      )}
      <Section title="Timeline">
        <Phases run={run} />
        <ol className={styles.steps}>
          {stepsOf(run).map(({ title, at, detail }) => (
            <li key={`${title} ${at}`} className={styles.step}>
              <span>{title}</span>
              {detail && (
                <span className={styles.detail} dir="auto">
                  {detail}
                </span>
              )}
              <Time at={at} />
            </li>
          ))}
        </ol>
      </Section>
      {run.errors.length > 0 && (
        <Section title="Records that failed" flush>
          <RunErrors errors={run.errors} />
        </Section>
      )}
    </Page>
  );
}

function batchesOf({ batches_processed, batches_total }: OperatorJobWithErrors): string {
  return batches_total === undefined
    ? `${formatCount(batches_processed)} batches so far`
    : `${formatCount(batches_processed)} of ${formatCount(batches_total)} batches`;
}

function CancelRun({ tenantId, run, name }: { tenantId: string; run: OperatorJobWithErrors; name: string }) {
  const [isAsked, setAsked] = useState(false);
  const client = useQueryClient();
  if (!useMay('operator') || !cancellable.includes(run.status)) return null;
  const cancel = async (reason: string | undefined) => {
    await call('POST /sync-jobs/{jobId}/cancel', { tenantId, jobId: run.job_id }, { ...(reason && { reason }) });
    await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
  };
  return (
    <>
      <Button onClick={() => setAsked(true)}>Cancel run…</Button>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title={`Cancel the run of ${name}?`}
        action="Cancel run"
        danger
        reason="optional"
        onConfirm={cancel}
      >
        <p>Records that are already applied stay. What a held run has set aside is discarded.</p>
      </ConfirmDialog>
    </>
  );
}
