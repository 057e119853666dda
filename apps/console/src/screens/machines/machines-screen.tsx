import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Column, ownLink, rowLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { IdChip } from '../../components/id-chip';
import { ListScreen } from '../../components/list-screen';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { call, type OperatorMachineIdentity } from '../../data/api';
import { cursorPages } from '../../data/pages';
import { describeFactor } from './describe-machine';
import { classifications, type MachinesSearch, risks, statuses } from './machines-search';
import { toneOfRisk } from './tone-of-risk';

const route = getRouteApi('/signed-in/$tenantId/machines');

const machinesQuery = (tenantId: string, { q, status, kind, risk }: MachinesSearch) =>
  cursorPages(['machines', tenantId, { q, status, kind, risk }], (cursor) =>
    call(
      'GET /machine-identities',
      { tenantId },
      { q, status, classification: kind, min_risk: risk && Number(risk), sort: order(q), limit: 50, cursor },
    ),
  );

/** A search has its own order. */
const order = (q?: string) => (q === undefined ? 'risk' : undefined);

/** Other values are of the source, which names an owner that is not known. */
const identityId = /^idn_[0-9a-z]{26}$/;

const columns: readonly Column<OperatorMachineIdentity>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, display_name }) => (
      <Link
        from="/$tenantId/machines"
        to="/$tenantId/machines/$machineId"
        params={{ machineId: id }}
        search={{}}
        className={rowLink}
      >
        <span dir="auto">{display_name}</span>
      </Link>
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '120px',
    from: 'medium',
    cell: ({ classification }) => wordsOf(classification),
  },
  { id: 'status', header: 'Status', width: '110px', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'risk',
    header: 'Risk',
    width: '56px',
    align: 'end',
    cell: ({ risk_score, risk_factors }) =>
      risk_score === undefined ? (
        '—'
      ) : (
        <span title={risk_factors?.map((factor) => describeFactor(factor).title).join(', ')}>
          <StatusBadge tone={toneOfRisk(risk_score)}>{risk_score}</StatusBadge>
        </span>
      ),
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: ({ owned_by, owner_name }) => {
      if (!owned_by) return 'No owner';
      if (!identityId.test(owned_by)) return <span dir="auto">{owned_by}</span>;
      return (
        <Link
          from="/$tenantId/machines"
          to="/$tenantId/people/$identityId"
          params={{ identityId: owned_by }}
          search={{}}
          className={ownLink}
          title={owned_by}
        >
          <span dir="auto">{owner_name ?? `${owned_by.slice(0, 12)}…${owned_by.slice(-4)}`}</span>
        </Link>
      );
    },
  },
  { id: 'id', header: 'Id', width: '200px', from: 'wide', cell: ({ id }) => <IdChip id={id} /> },
];

export function MachinesScreen() {
  const { tenantId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(machinesQuery(tenantId, search));
  const { kind, risk, ...rest } = search;
  return (
    <ListScreen<OperatorMachineIdentity, MachinesSearch>
      title="Machines"
      api={`/admin/v1/tenants/${tenantId}/machine-identities`}
      parameters={{ ...rest, classification: kind, min_risk: risk, sort: order(search.q) }}
      cli="idsync machines list"
      filters={[
        { of: 'q', label: 'Search machines', placeholder: 'Name' },
        { of: 'risk', label: 'Risk', choices: risks.map((value) => ({ value, label: `${value} or more` })) },
        { of: 'kind', label: 'Kind', choices: choicesOf(classifications) },
        { of: 'status', label: 'Status', choices: choicesOf(statuses) },
      ]}
      search={search}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      columns={columns}
      rowKey={({ id }) => id}
      query={query}
      noMatch={<EmptyState title="No machine matches" />}
      nothing={
        <EmptyState title="No machine yet">
          Service accounts, keys and workloads appear when a source with machine identities has been read.
        </EmptyState>
      }
    />
  );
}
