import { personStatuses } from '@idsync/contracts/fixed-values';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, rowLink } from '../../components/data-table';
import { choicesOf } from '../../components/fields';
import { IdLink } from '../../components/links';
import { ListScreen } from '../../components/list-screen';
import { StatusBadge } from '../../components/values';
import { call, type Identity, useFilters, useTenantId } from '../../data/api';
import { attributeOf, machineOf, nameOf, recordCounts } from '../../data/person';
import { useSourceChoices } from '../../data/queries';
import { cursorPages } from '../../data/query-client';
import type { PeopleSearch } from '../../data/searches';

const columns: readonly Column<Identity>[] = [
  { header: 'Name', width: 'minmax(0, 1.8fr)', cell: (identity) => <Name identity={identity} /> },
  { header: 'Mail', width: 'minmax(0, 2.6fr)', from: 'medium', cell: (identity) => attributeOf(identity, 'email') },
  { header: 'Title', width: 'minmax(0, 1.5fr)', from: 'wide', cell: (identity) => attributeOf(identity, 'job_title') },
  {
    header: 'Records',
    width: '56px',
    align: 'end',
    from: 'medium',
    cell: (identity) => {
      const { count, words } = recordCounts(identity);
      return <span title={words.join(', ') || '—'}>{count}</span>;
    },
  },
  {
    header: 'Status',
    as: 'status',
    width: '104px',
    cell: (identity) => machineOf(identity)?.status ?? identity.status,
  },
  { header: 'Changed', as: 'ago', from: 'wide', cell: 'updated_at' },
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

export function PeopleScreen() {
  const tenantId = useTenantId();
  const [search] = useFilters<PeopleSearch>();
  const query = useInfiniteQuery(
    cursorPages(['people', tenantId, search], (cursor) =>
      call('GET /identities', { tenantId }, { ...search, limit: 50, cursor }),
    ),
  );
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
        { of: 'status', label: 'Status', choices: choicesOf(personStatuses) },
        { of: 'source', label: 'Source', choices: sources },
      ]}
      columns={columns}
      query={query}
      noMatch={{
        title: 'No person matches',
        text: 'Search by the beginning of a name, mail address, number or login. Deleted people are found with the status “Deleted”.',
      }}
      nothing={{ title: 'No people yet', text: 'People appear when the first source has been read.' }}
    />
  );
}
