import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { Facts } from '../../components/facts';
import { formatCount } from '../../components/format-time';
import { IdChip } from '../../components/id-chip';
import { JsonView } from '../../components/json-view';
import { Section } from '../../components/page';
import { recordsName } from '../../components/record-names';
import { Screen } from '../../components/screen';
import { StatTile, StatTiles } from '../../components/stat-tile';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { IdLink } from '../../components/tenant-link';
import { Ago, Time } from '../../components/time';
import { call } from '../../data/api';
import { connectorQuery } from '../../data/connectors';
import { offsetPages } from '../../data/pages';
import { limitsOf, scheduleOf } from './describe-source';
import { FailingRecords } from './failing-records';
import { SourceActions } from './source-actions';
import { SourceRuns } from './source-runs';
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
      cli={`idsync connectors show ${connectorId}`}
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
