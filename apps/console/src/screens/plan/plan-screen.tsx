import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { FilterBar, SearchField } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { holdMessage } from '../../components/hold-message';
import { IdChip } from '../../components/id-chip';
import { Section } from '../../components/page';
import { Screen } from '../../components/screen';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { VirtualList } from '../../components/virtual-list';
import { call } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import { jobQuery } from '../../data/jobs';
import { itemsOf, offsetPages } from '../../data/pages';
import { useFilters } from '../../data/use-tenant';
import { ActionFilter } from './action-filter';
import { ChangedSource } from './changed-source';
import { PlanActions } from './plan-actions';
import { PlanEntry } from './plan-entry';
import type { PlanSearch } from './plan-search';
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
