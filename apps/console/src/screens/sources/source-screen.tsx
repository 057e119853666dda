import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { ApprovalBanner } from '../../components/approval-banner';
import { buttonClass } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { SendButton } from '../../components/form';
import { formatCount } from '../../components/format-time';
import { JsonView } from '../../components/json-view';
import { IdLink, linkColumn, TenantLink, useOpenPath } from '../../components/links';
import { ErrorState, Loading, Section, StatTile, StatTiles } from '../../components/page';
import { Screen } from '../../components/screen';
import { Ago, Facts, IdChip, StatusBadge, Time } from '../../components/values';
import { recordsName } from '../../components/words';
import { type Connector, call, type FailingRecordPage, type OperatorJobPage, read, useTenantId } from '../../data/api';
import { connectorQuery, startRun } from '../../data/queries';
import { live, offsetPages } from '../../data/query-client';
import { useMay } from '../../data/session';
import { limitsOf, scheduleOf } from './describe-source';
import { SourceTokens } from './source-tokens';

const failingRecordsQuery = (tenantId: string, connectorId: string) =>
  offsetPages(['failing-records', tenantId, connectorId], (offset) =>
    call('GET /connectors/{connectorId}/errors', { tenantId, connectorId }, { limit: 50, offset }),
  );

const route = getRouteApi('/signed-in/$tenantId/sources/$connectorId');

export function SourceScreen() {
  const { tenantId, connectorId } = route.useParams();
  const { data: source, error, refetch } = useQuery(connectorQuery(tenantId, connectorId));
  const failing = useInfiniteQuery(failingRecordsQuery(tenantId, connectorId));
  if (!source) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const run = source.last_run;
  return (
    <Screen
      title={source.name}
      beside={<StatusBadge status={source.health} />}
      description={
        <>
          <span>
            {source.type}, {recordsName(source.records).toLowerCase()}
          </span>
          <IdChip id={source.id} />
        </>
      }
      api={`/connectors/${connectorId}`}
      cli={`idsync connectors get ${connectorId}`}
      json={source}
      actions={<SourceActions source={source} />}
    >
      <ApprovalBanner resource={connectorId} />
      <StatTiles>
        <StatTile
          label="Complete as of"
          value={source.complete_as_of ? <Ago at={source.complete_as_of} /> : 'Never'}
          about={source.complete_as_of && <Time at={source.complete_as_of} />}
        />
        <StatTile label="Priority" value={source.priority} about="The lowest number wins" />
        <StatTile label="Failures in a row" value={source.failures} tone={source.failures > 0 ? 'bad' : undefined} />
        <StatTile
          label="Records that fail"
          value={formatCount(failing.data?.pages[0]?.total ?? 0)}
          tone={(failing.data?.pages[0]?.total ?? 0) > 0 ? 'warn' : undefined}
        />
      </StatTiles>
      <Section title="Reading">
        <Facts
          items={[
            ['Schedule', scheduleOf(source.schedule)],
            ['Next run', source.next_run_at && <Time at={source.next_run_at} />],
            ['Skipped', source.skipped && `${source.skipped.reason}`],
            ['Checkpoint', source.checkpoint_at && <Time at={source.checkpoint_at} />],
            [
              'Last run',
              run && (
                <IdLink id={run.job_id}>
                  {run.status.replaceAll('_', ' ')}: {formatCount(run.records_read)} read,{' '}
                  {formatCount(run.records_failed)} failed, {formatCount(run.records_deleted)} deleted
                </IdLink>
              ),
            ],
            ['Error', run?.error_message],
            ['Text of the source', run?.source_message],
          ]}
        />
      </Section>
      {source.type === 'scim-push' && <SourceTokens source={source} />}
      <SourceRuns connectorId={connectorId} />
      <FailingRecords query={failing} />
      <Section title="Safeguard">
        <Facts items={[...limitsOf(source.safeguard), ['Counted within', `${source.safeguard.within_hours} h`]]} />
      </Section>
      <Section title="Configuration">
        <JsonView value={source.config} label="Configuration as JSON" />
      </Section>
    </Screen>
  );
}

/** Starts a run, or a dry run that only shows its plan, and opens it. */
function SourceActions({ source }: { source: Connector }) {
  const tenantId = useTenantId();
  const client = useQueryClient();
  const openPath = useOpenPath();
  const mayChange = useMay('admin');
  if (!useMay('operator')) return null;
  const start = async (dryRun: boolean) => {
    const { job_id } = await startRun(tenantId, source.id, dryRun);
    await client.invalidateQueries({ queryKey: ['jobs', tenantId] });
    await openPath(`/runs/${job_id}`);
  };
  return (
    <>
      {mayChange && (
        <TenantLink
          path={`/source-setup?source=${source.id}${source.type === 'scim-push' ? '&step=connection' : ''}`}
          className={buttonClass()}
        >
          {source.last_run ? 'Change' : 'Continue set-up'}
        </TenantLink>
      )}
      <SendButton onSend={() => start(true)}>Dry run</SendButton>
      <SendButton look="primary" onSend={() => start(false)}>
        Run now
      </SendButton>
    </>
  );
}

const shownRuns = 5;

const runColumns: readonly Column<OperatorJobPage['data'][number]>[] = [
  linkColumn(
    'Started',
    'minmax(0, 1fr)',
    ({ started_at, created_at }) => <Ago at={started_at ?? created_at} />,
    'job_id',
  ),
  { header: 'Kind', width: '120px', from: 'medium', cell: ({ mode, dry_run }) => (dry_run ? 'dry run' : mode) },
  { header: 'Status', as: 'status', width: 'minmax(130px, 1fr)', cell: 'status' },
  { header: 'Read', as: 'count', width: '80px', from: 'small', cell: 'records_read' },
  { header: 'Failed', as: 'count', width: '80px', from: 'medium', cell: 'records_failed' },
];

/** The last runs of a source; all of them are in the list of runs. */
function SourceRuns({ connectorId }: { connectorId: string }) {
  const tenantId = useTenantId();
  const query = useQuery({
    ...read('jobs', 'GET /sync-jobs', { tenantId }, { connector_id: connectorId, limit: shownRuns }),
    ...live,
  });
  return (
    <DataTable
      title="Last runs"
      columns={runColumns}
      rowKey={({ job_id }) => job_id}
      query={query}
      empty={{ title: 'Not read yet', text: 'Start a dry run to see what a run would change.' }}
      actions={<TenantLink path={`/runs?source=${connectorId}`}>All runs</TenantLink>}
    />
  );
}

type Row = FailingRecordPage['data'][number];

const failureColumns: readonly Column<Row>[] = [
  { header: 'Record', cell: ({ external_id, line }) => external_id ?? (line && `line ${line}`) },
  { header: 'Field', width: '140px', from: 'medium', cell: 'field' },
  {
    header: 'Error',
    width: 'minmax(0, 3fr)',
    cell: ({ message, source_message }) => <span title={source_message ?? message}>{message}</span>,
  },
  { header: 'Next try', as: 'ago', width: '120px', from: 'wide', cell: 'retry_at' },
  { header: 'Since', as: 'ago', from: 'small', cell: 'first_failed_at' },
];

/** Records that the last attempts could not take over; they are retried with growing delays. */
function FailingRecords({ query }: { query: ComponentProps<typeof DataTable<Row>>['query'] }) {
  return (
    <DataTable
      title="Records that fail"
      columns={failureColumns}
      rowKey={({ external_id, line, field, first_failed_at }) => `${external_id}/${line}/${field}/${first_failed_at}`}
      query={query}
      empty={{ title: 'No record fails' }}
    />
  );
}
