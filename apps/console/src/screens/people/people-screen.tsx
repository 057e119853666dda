import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Column, rowLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { ListScreen } from '../../components/list-screen';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { IdLink } from '../../components/tenant-link';
import type { Identity } from '../../data/api';
import { useSourceChoices } from '../../data/connectors';
import { peopleQuery } from '../../data/people';
import { attributeOf, machineOf, nameOf } from '../../data/person';
import { type PeopleSearch, statuses } from './people-search';

const route = getRouteApi('/signed-in/$tenantId/people');

const columns: readonly Column<Identity>[] = [
  { header: 'Name', width: 'minmax(0, 1.8fr)', cell: (identity) => <Name identity={identity} /> },
  { header: 'Mail', width: 'minmax(0, 2.6fr)', from: 'medium', cell: (identity) => attributeOf(identity, 'email') },
  { header: 'Title', width: 'minmax(0, 1.5fr)', from: 'wide', cell: (identity) => attributeOf(identity, 'job_title') },
  {
    header: 'Records',
    width: '56px',
    align: 'end',
    from: 'medium',
    cell: (identity) => <span title={recordsOf(identity)}>{countOf(identity)}</span>,
  },
  {
    header: 'Status',
    as: 'status',
    width: '104px',
    cell: (identity) => machineOf(identity)?.status ?? identity.status,
  },
  { header: 'Changed', as: 'ago', from: 'wide', cell: ({ updated_at }) => updated_at },
];

/** A machine without an owner has its own identity, and is shown as the machine that it is. */
function Name({ identity }: { identity: Identity }) {
  const machine = machineOf(identity);
  return (
    <>
      <IdLink id={machine?.id ?? identity.id} className={rowLink} dir="auto">
        {machine?.display_name ?? nameOf(identity)}
      </IdLink>
      {machine && (
        <>
          {' '}
          <StatusBadge tone="neutral">Machine</StatusBadge>
        </>
      )}
    </>
  );
}

function countOf({ users, accounts, machine_identities: machines, left_out }: Identity): number {
  const hidden = (left_out?.users ?? 0) + (left_out?.accounts ?? 0) + (left_out?.machine_identities ?? 0);
  return users.length + accounts.length + machines.length + hidden;
}

function recordsOf({ users, accounts, machine_identities: machines, left_out }: Identity): string {
  const counts: [number, string, string][] = [
    [users.length + (left_out?.users ?? 0), 'user', 'users'],
    [accounts.length + (left_out?.accounts ?? 0), 'account', 'accounts'],
    [machines.length + (left_out?.machine_identities ?? 0), 'machine', 'machines'],
  ];
  return (
    counts
      .filter(([count]) => count > 0)
      .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
      .join(', ') || '—'
  );
}

export function PeopleScreen() {
  const { tenantId } = route.useParams();
  const search = route.useSearch();
  const query = useInfiniteQuery(peopleQuery(tenantId, search));
  const sources = useSourceChoices();
  const flags = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : ` --${name} '${value}'`));
  return (
    <ListScreen<Identity, PeopleSearch>
      title="People"
      api="/identities"
      parameters={{ ...search }}
      cli={`idsync identities list${flags.join('')}`}
      filters={[
        { of: 'q', label: 'Search people', placeholder: 'Name, mail, number or login', autoFocus: true },
        { of: 'status', label: 'Status', choices: choicesOf(statuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      columns={columns}
      query={query}
      noMatch={
        <EmptyState title="No person matches">
          Search by the beginning of a name, mail address, number or login. Deleted people are found with the status
          “Deleted”.
        </EmptyState>
      }
      nothing={<EmptyState title="No people yet">People appear when the first source has been read.</EmptyState>}
    />
  );
}
