import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, rowLink } from '../../components/data-table';
import { Dialog } from '../../components/dialog';
import { formatCount } from '../../components/format-time';
import { JsonView } from '../../components/json-view';
import { ListScreen } from '../../components/list-screen';
import { StatusBadge, shortId, Time } from '../../components/values';
import { type Answer, call, useFilters, useTenantId } from '../../data/api';
import { auditVerificationQuery } from '../../data/queries';
import { cursorPages, itemsOf } from '../../data/query-client';
import type { AuditSearch } from '../../data/searches';
import { actWords } from './act-words';

type Entry = Answer<'GET /audit'>['data'][number];

const auditQuery = (tenantId: string, { actor, action, resource }: AuditSearch) =>
  cursorPages(['audit', tenantId, { actor, action, resource }], (cursor) =>
    call('GET /audit', { tenantId }, { actor, action, resource, limit: 50, cursor }),
  );

const columns: readonly Column<Entry>[] = [
  { header: 'Time', width: '200px', from: 'medium', cell: ({ at }) => <Time at={at} /> },
  { header: 'Time', as: 'ago', width: '78px', until: 'medium', cell: 'at', align: 'start' },
  {
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
    header: 'Resource',
    width: '145px',
    from: 'wide',
    cell: ({ resource }) => resource && <span title={resource}>{shortId(resource)}</span>,
  },
  { header: 'Reason', from: 'wide', cell: ({ reason, error }) => reason ?? error },
  { header: 'Outcome', as: 'status', width: '92px', cell: 'outcome' },
];
const noEntry = { title: 'No entry', text: 'Filters match whole names and ids.' };

export function AuditScreen() {
  const tenantId = useTenantId();
  const [{ entry, ...filters }, setFilters] = useFilters<AuditSearch>();
  const query = useInfiniteQuery(auditQuery(tenantId, filters));
  const shown = itemsOf(query.data).find(({ sequence }) => String(sequence) === entry);
  return (
    <ListScreen<Entry, AuditSearch>
      title="Audit log"
      beside={<ChainStatus />}
      description="Every act of an operator, the newest first. Entries cannot be changed or removed unnoticed."
      api="/audit"
      parameters={filters}
      cli="idsync audit list"
      filters={[
        { of: 'actor', label: 'Actor', placeholder: 'Name of the actor' },
        { of: 'action', label: 'Action', placeholder: 'Act, such as releaseSyncJob' },
        { of: 'resource', label: 'Resource', placeholder: 'Id of a resource' },
      ]}
      columns={columns}
      query={query}
      noMatch={noEntry}
      nothing={noEntry}
    >
      {shown && (
        <Dialog
          open
          onOpenChange={() => setFilters({ entry: undefined })}
          title={`Entry ${shown.sequence}: ${actWords(shown.action)}`}
          wide
        >
          <JsonView value={shown} label="Entry" levels={3} />
        </Dialog>
      )}
    </ListScreen>
  );
}

/** Whether the first entries of the chain verify; `idsync audit verify` verifies all of them. */
function ChainStatus() {
  const { data } = useQuery(auditVerificationQuery(useTenantId()));
  if (!data) return null;
  const [problem] = data.problems;
  return problem ? (
    <StatusBadge tone="bad">{`Entry ${problem.sequence}: ${problem.problem}`}</StatusBadge>
  ) : (
    <StatusBadge tone="ok">{`${formatCount(data.verified)} entries verified`}</StatusBadge>
  );
}
