import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { Dialog } from '../../components/dialog';
import { FilterBar, SearchField } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { shortId } from '../../components/id-chip';
import { JsonView } from '../../components/json-view';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago, Time } from '../../components/time';
import { call } from '../../data/api';
import { auditVerificationQuery } from '../../data/audit';
import { cursorPages, itemsOf } from '../../data/pages';
import { actWords } from './act-words';
import type { AuditSearch } from './audit-search';

const route = getRouteApi('/signed-in/$tenantId/audit');

const auditQuery = (tenantId: string, { actor, action, resource }: AuditSearch) =>
  cursorPages(['audit', tenantId, { actor, action, resource }], (cursor) =>
    call('GET /audit', { tenantId }, { actor, action, resource, limit: 50, cursor }),
  );

type Entry = Awaited<ReturnType<NonNullable<ReturnType<typeof auditQuery>['queryFn']>>>['data'][number];

const columns: readonly Column<Entry>[] = [
  { id: 'at', header: 'Time', width: '200px', from: 'medium', cell: ({ at }) => <Time at={at} /> },
  { id: 'ago', header: 'Time', width: '78px', until: 'medium', cell: ({ at }) => <Ago at={at} /> },
  {
    id: 'actor',
    header: 'Who',
    width: 'minmax(0, 0.8fr)',
    from: 'small',
    cell: ({ actor }) => (
      <span dir="auto" title={actor.id}>
        {actor.name}
      </span>
    ),
  },
  {
    id: 'action',
    header: 'Act',
    width: 'minmax(0, 1.6fr)',
    cell: ({ action, sequence }) => (
      <Link
        from="/$tenantId/audit"
        to="."
        search={(old) => ({ ...old, entry: String(sequence) })}
        className={rowLink}
        resetScroll={false}
      >
        <span title={action}>{actWords(action)}</span>
      </Link>
    ),
  },
  {
    id: 'resource',
    header: 'Resource',
    width: '145px',
    from: 'wide',
    cell: ({ resource }) => <span title={resource}>{resource ? shortId(resource) : '—'}</span>,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(0, 1fr)',
    from: 'wide',
    cell: ({ reason, error }) => (
      <span dir="auto" title={reason ?? error}>
        {reason ?? error ?? '—'}
      </span>
    ),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    width: '92px',
    cell: ({ outcome }) => <StatusBadge status={outcome} />,
  },
];

export function AuditScreen() {
  const { tenantId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(auditQuery(tenantId, filters));
  const entries = itemsOf(query.data);
  const shown = entries.find(({ sequence }) => String(sequence) === filters.entry);
  const set = (change: AuditSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  return (
    <Page
      title="Audit log"
      beside={<ChainStatus tenantId={tenantId} />}
      description="Every act of an operator, the newest first. Entries cannot be changed or removed unnoticed."
      actions={
        <CopyAs path={`/admin/v1/tenants/${tenantId}/audit`} cli="idsync audit list" json={query.data?.pages[0]} />
      }
    >
      <FilterBar>
        <SearchField
          label="Actor"
          placeholder="Name of the actor"
          value={filters.actor ?? ''}
          onChange={(text) => set({ actor: text || undefined })}
        />
        <SearchField
          label="Action"
          placeholder="Act, such as releaseSyncJob"
          value={filters.action ?? ''}
          onChange={(text) => set({ action: text || undefined })}
        />
        <SearchField
          label="Resource"
          placeholder="Id of a resource"
          value={filters.resource ?? ''}
          onChange={(text) => set({ resource: text || undefined })}
        />
      </FilterBar>
      <Section title="Entries" untitled flush>
        <DataTable
          label="Audit log"
          columns={columns}
          rows={entries}
          rowKey={({ id }) => id}
          query={query}
          empty={<EmptyState title="No entry">Filters match whole names and ids.</EmptyState>}
        />
      </Section>
      {shown && (
        <Dialog
          open
          onOpenChange={() => set({ entry: undefined })}
          title={`Entry ${shown.sequence}: ${actWords(shown.action)}`}
          wide
        >
          <JsonView value={shown} label="Entry" levels={3} />
        </Dialog>
      )}
    </Page>
  );
}

/** Whether the first entries of the chain verify; `idsync audit verify` verifies all of them. */
function ChainStatus({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(auditVerificationQuery(tenantId));
  if (!data) return null;
  const [problem] = data.problems;
  return problem ? (
    <StatusBadge tone="bad">{`Entry ${problem.sequence}: ${problem.problem}`}</StatusBadge>
  ) : (
    <StatusBadge tone="ok">{`${formatCount(data.verified)} entries verified`}</StatusBadge>
  );
}
