import { machineClassifications } from '@idsync/contracts/fixed-values';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, ownLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { IdLink, linkColumn } from '../../components/links';
import { ListScreen } from '../../components/list-screen';
import { IdChip, StatusBadge } from '../../components/values';
import { wordsOf } from '../../components/words';
import { call, type OperatorMachineIdentity, useFilters, useTenantId } from '../../data/api';
import { cursorPages } from '../../data/query-client';
import { type MachinesSearch, machineStatuses, risks } from '../../data/searches';
import { describeFactor, toneOfRisk } from './describe-machine';

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
  linkColumn('Name', 'minmax(0, 2fr)', 'display_name'),
  { header: 'Kind', width: '120px', from: 'medium', cell: ({ classification }) => wordsOf(classification) },
  { header: 'Status', as: 'status', width: '110px', cell: 'status' },
  {
    header: 'Risk',
    width: '56px',
    align: 'end',
    cell: ({ risk_score, risk_factors }) =>
      risk_score === undefined ? undefined : (
        <span title={risk_factors?.map((factor) => describeFactor(factor).title).join(', ')}>
          <StatusBadge tone={toneOfRisk(risk_score)}>{risk_score}</StatusBadge>
        </span>
      ),
  },
  {
    header: 'Owner',
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: ({ owned_by, owner_name }) =>
      owned_by && identityId.test(owned_by) ? (
        <IdLink id={owned_by} className={ownLink} title={owned_by}>
          <span dir="auto">{owner_name ?? `${owned_by.slice(0, 12)}…${owned_by.slice(-4)}`}</span>
        </IdLink>
      ) : (
        owned_by
      ),
    none: 'No owner',
  },
  { header: 'Id', width: '200px', from: 'wide', cell: ({ id }) => <IdChip id={id} /> },
];

export function MachinesScreen() {
  const tenantId = useTenantId();
  const [search] = useFilters<MachinesSearch>();
  const query = useInfiniteQuery(machinesQuery(tenantId, search));
  const { kind, risk, ...rest } = search;
  return (
    <ListScreen<OperatorMachineIdentity, MachinesSearch>
      title="Machines"
      api="/machine-identities"
      parameters={{ ...rest, classification: kind, min_risk: risk, sort: order(search.q) }}
      cli="idsync machines list"
      filters={[
        { of: 'q', label: 'Search machines', placeholder: 'Name' },
        { of: 'risk', label: 'Risk', choices: risks.map((value) => ({ value, label: `${value} or more` })) },
        { of: 'kind', label: 'Kind', choices: choicesOf(machineClassifications) },
        { of: 'status', label: 'Status', choices: choicesOf(machineStatuses) },
      ]}
      columns={columns}
      query={query}
      noMatch={{ title: 'No machine matches' }}
      nothing={{
        title: 'No machine yet',
        text: 'Service accounts, keys and workloads appear when a source with machine identities has been read.',
      }}
    />
  );
}
