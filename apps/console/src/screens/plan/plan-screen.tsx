import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { FilterBar, SearchField } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { TenantLink } from '../../components/links';
import { EmptyState, ErrorState, Loading, Section } from '../../components/page';
import { Screen } from '../../components/screen';
import { Ago, IdChip, StatusBadge } from '../../components/values';
import { VirtualList } from '../../components/virtual-list';
import { holdMessage } from '../../components/words';
import { call, type OperatorJobWithErrors, useFilters, useTenantId } from '../../data/api';
import { jobQuery, useSourceName } from '../../data/queries';
import { itemsOf, offsetPages } from '../../data/query-client';
import type { PlanSearch } from '../../data/searches';
import { useMay } from '../../data/session';
import { changedFields, lastCompletedBefore } from './describe-plan';
import { PlanActions } from './plan-actions';
import { ActionFilter, PlanEntry } from './plan-entry';
import styles from './plan-screen.module.css';
import { Reasons } from './reasons';

/** A plan page by page. Each page has also the counts and reasons of the whole plan. */
const planQuery = (tenantId: string, jobId: string, { action, find }: PlanSearch) =>
  offsetPages(['jobs', tenantId, jobId, 'plan', { action, find }], (offset) =>
    call('GET /sync-jobs/{jobId}/plan', { tenantId, jobId }, { action, external_id: find, limit: 100, offset }),
  );

const route = getRouteApi('/signed-in/$tenantId/runs/$jobId/plan');

/** A held run or a dry run, read like a pull request: why it is held, what it would change, and the decision. */
export function PlanScreen() {
  const { tenantId, jobId } = route.useParams();
  const [search, set] = useFilters<PlanSearch>();
  const job = useQuery(jobQuery(tenantId, jobId));
  const plan = useInfiniteQuery({ ...planQuery(tenantId, jobId, search), placeholderData: keepPreviousData });
  const sourceName = useSourceName();
  if (job.isPending || plan.isPending) return <Loading />;
  if (job.isLoadingError) return <ErrorState error={job.error} onRetry={() => job.refetch()} />;
  if (plan.isLoadingError) return <ErrorState error={plan.error} onRetry={() => plan.refetch()} />;
  const whole = plan.data.pages[0];
  if (!whole) return <Loading />;
  const source = sourceName(job.data.connector_id);
  const entries = itemsOf(plan.data);
  return (
    <Screen
      title={titleOf(source, job.data)}
      beside={<StatusBadge status={job.data.status} />}
      description={
        <>
          <span>
            read <Ago at={job.data.started_at ?? job.data.created_at} />
          </span>
          <span>{formatCount(job.data.records_read)} records</span>
          {whole.known !== undefined && <span>{formatCount(whole.known)} known before</span>}
          <IdChip id={jobId} />
        </>
      }
      api={`/sync-jobs/${jobId}/plan`}
      cli={`idsync jobs plan ${jobId}`}
      json={whole}
      actions={<PlanActions job={job.data} plan={whole} source={source} />}
    >
      <ApprovalBanner resource={jobId} />
      {job.data.decision && <Decision {...job.data.decision} />}
      {whole.note && whole.reasons.length === 0 && <p>{holdMessage(whole.note)}</p>}
      {whole.reasons.length > 0 && (
        <Reasons reasons={whole.reasons} isHeld={job.data.status === 'quarantined'} onShow={set} />
      )}
      {job.data.status === 'quarantined' && <ChangedSource job={job.data} />}
      <FilterBar>
        <ActionFilter counts={whole.counts} action={search.action} onChange={(action) => set({ action })} />
        <SearchField
          label="Find an external id"
          value={search.find ?? ''}
          onChange={(find) => set({ find: find || undefined })}
        />
      </FilterBar>
      <Section title="Changes" untitled flush>
        {entries.length === 0 ? (
          <EmptyState title={search.find || search.action ? 'No change matches' : 'The plan is empty'}>
            {search.find || search.action
              ? 'Remove the filter to see the whole plan.'
              : 'Changes that a run applies at once are not in its plan.'}
          </EmptyState>
        ) : (
          <VirtualList
            label="Changes"
            items={entries}
            itemKey={({ action, record }) => `${action} ${record.external_id}`}
            estimate={44}
            onEnd={plan.hasNextPage && !plan.isFetchingNextPage ? plan.fetchNextPage : undefined}
          >
            {(entry) => <PlanEntry entry={entry} />}
          </VirtualList>
        )}
      </Section>
    </Screen>
  );
}

function titleOf(source: string, { status, dry_run }: { status: string; dry_run: boolean }): string {
  if (status === 'quarantined') return `A run of ${source} is held`;
  return dry_run ? `Dry run of ${source}` : `Plan of a run of ${source}`;
}

function Decision({ action, by, at, reason }: { action: string; by?: string; at: string; reason?: string }) {
  return (
    <p>
      <StatusBadge tone="info">{action}</StatusBadge> by <span dir="auto">{by ?? 'idsync'}</span> <Ago at={at} />
      {reason && <span dir="auto">: “{reason}”</span>}
    </p>
  );
}

const few = 20;

/** The newest change of the source's settings after its last completed run; null if there is none. */
const sourceChangeQuery = (
  tenantId: string,
  { job_id, connector_id, created_at, started_at = created_at }: OperatorJobWithErrors,
) =>
  queryOptions({
    queryKey: ['source-change', tenantId, job_id],
    queryFn: async () => {
      const path = { tenantId };
      const { data: runs } = await call('GET /sync-jobs', path, { connector_id, limit: few });
      const since = lastCompletedBefore(runs, created_at);
      if (!since) return null;
      const { data } = await call('GET /audit', path, {
        action: 'updateConnector',
        resource: connector_id,
        since,
        until: started_at,
        order: 'desc',
        limit: few,
      });
      const entry = data.find(({ outcome }) => outcome === 'accepted');
      if (!entry) return null;
      return { at: entry.at, by: entry.actor.name, entry: String(entry.sequence), fields: changedFields(entry) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Whether the settings of the source changed between its last completed run and this one, which may explain the plan. */
function ChangedSource({ job }: { job: OperatorJobWithErrors }) {
  const mayRead = useMay('auditor');
  const { data: change } = useQuery({ ...sourceChangeQuery(useTenantId(), job), enabled: mayRead });
  if (!change) return null;
  return (
    <p className={styles.changed}>
      <span>
        The settings of the source changed after its last completed run{change.fields.length > 0 && ': '}
        {change.fields.length > 0 && <code>{change.fields.join(', ')}</code>}, by <span dir="auto">{change.by}</span>{' '}
        <Ago at={change.at} />.
      </span>
      <TenantLink path={`/audit?action=updateConnector&resource=${job.connector_id}&entry=${change.entry}`}>
        See what changed
      </TenantLink>
    </p>
  );
}
