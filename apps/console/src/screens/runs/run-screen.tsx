import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmButton } from '../../components/dialog';
import { formatCount, formatDuration } from '../../components/format-time';
import { TenantLink } from '../../components/links';
import { Section, StatTile, StatTiles } from '../../components/page';
import { NotLoaded, Screen } from '../../components/screen';
import { Facts, IdAndAge, StatusBadge, Time } from '../../components/values';
import { holdMessage } from '../../components/words';
import { call, type OperatorJobWithErrors, useTenantId } from '../../data/api';
import { jobQuery, useSourceName } from '../../data/queries';
import { useMay } from '../../data/session';
import { appliedWords, cancellable, durationOf, kindOf, phasesOf, stepsOf } from './describe-run';
import phases from './phases.module.css';
import styles from './runs.module.css';

const route = getRouteApi('/signed-in/$tenantId/runs/$jobId');

export function RunScreen() {
  const { tenantId, jobId } = route.useParams();
  const query = useQuery(jobQuery(tenantId, jobId));
  const sourceName = useSourceName();
  const run = query.data;
  if (!run) return <NotLoaded query={query} />;
  const name = sourceName(run.connector_id);
  return (
    <Screen
      title={`Run of ${name}`}
      beside={<StatusBadge status={run.status} />}
      description={
        <>
          <span>{kindOf(run)}</span>
          <IdAndAge id={run.job_id} verb="requested" at={run.created_at} />
          {run.started_at && (
            <span>
              {run.completed_at || run.status === 'quarantined' ? 'took' : 'running for'} {durationOf(run, Date.now())}
            </span>
          )}
        </>
      }
      api={`/sync-jobs/${jobId}`}
      cli={`idsync jobs get ${jobId}`}
      json={run}
      actions={
        <>
          {(run.status === 'quarantined' || run.dry_run) && (
            <TenantLink path={`/runs/${jobId}/plan`} className={buttonClass({ look: 'primary' })}>
              Open plan
            </TenantLink>
          )}
          <CancelRun run={run} name={name} />
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
      {run.errors.length > 0 && <RunErrors run={run} />}
    </Screen>
  );
}

function batchesOf({ batches_processed, batches_total }: OperatorJobWithErrors): string {
  return batches_total === undefined
    ? `${formatCount(batches_processed)} batches so far`
    : `${formatCount(batches_processed)} of ${formatCount(batches_total)} batches`;
}

function CancelRun({ run, name }: { run: OperatorJobWithErrors; name: string }) {
  const tenantId = useTenantId();
  if (!useMay('operator') || !cancellable.includes(run.status)) return null;
  return (
    <ConfirmButton
      label="Cancel run…"
      title={`Cancel the run of ${name}?`}
      action="Cancel run"
      danger
      reason="optional"
      refresh={['jobs', tenantId]}
      onConfirm={(reason) => call('POST /sync-jobs/{jobId}/cancel', { tenantId, jobId: run.job_id }, { reason })}
    >
      <p>Records that are already applied stay. What a held run has set aside is discarded.</p>
    </ConfirmButton>
  );
}

type RunError = OperatorJobWithErrors['errors'][number];

const columns: readonly Column<RunError>[] = [
  { header: 'Record', cell: ({ external_id, line }) => external_id ?? (line && `line ${line}`) },
  { header: 'Line', width: '70px', align: 'end', from: 'wide', cell: 'line' },
  { header: 'Field', width: '140px', from: 'medium', cell: 'field' },
  {
    header: 'Error',
    width: 'minmax(0, 3fr)',
    cell: ({ message, source_message }) => <span title={source_message}>{message}</span>,
  },
];

/** The first errors of records; `GET …/connectors/{id}/errors` lists all that are still open. */
function RunErrors({ run: { errors, records_failed } }: { run: OperatorJobWithErrors }) {
  const keyOf = (error: RunError) => String(errors.indexOf(error));
  const title =
    errors.length < records_failed ? `Records that failed: the first ${errors.length}` : 'Records that failed';
  return <DataTable title={title} columns={columns} rows={errors} rowKey={keyOf} />;
}

/** How the time of a run is divided. */
function Phases({ run }: { run: OperatorJobWithErrors }) {
  return (
    <ul className={phases.phases} aria-label="Phases">
      {phasesOf(run, Date.now()).map(({ title, ms, start, share }) => (
        <li key={title} className={phases.phase}>
          <span>{title}</span>
          <span className={phases.track} aria-hidden="true">
            <span
              className={phases.bar}
              data-phase={title}
              style={{ marginInlineStart: `min(${start}%, 100% - 3px)`, width: `${share}%` }}
            />
          </span>
          <span className={phases.time}>{formatDuration(ms)}</span>
        </li>
      ))}
    </ul>
  );
}
