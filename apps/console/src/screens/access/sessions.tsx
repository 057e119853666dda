import { useInfiniteQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../components/confirm-dialog';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/states';
import { useMay } from '../../data/access';
import { callInstallation, type operations } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { methodOf } from './describe-access';
import { Named } from './named';

// Not live: reading it again and again would extend the session of the reader.
const sessionsQuery = offsetPages(['sessions'], (offset) =>
  callInstallation('GET /sessions', {}, { limit: 100, offset }),
);

type Listed = operations['adminListSessions']['responses'][200]['content']['application/json']['data'][number];

const columns: readonly Column<Listed>[] = [
  { header: 'Name', width: 'minmax(0, 1.2fr)', cell: ({ actor }) => Named(actor) },
  { header: 'Role', width: '80px', cell: ({ actor }) => actor.role },
  { header: 'Signed in with', from: 'medium', cell: ({ actor }) => methodOf(actor.kind) },
  { header: 'Since', as: 'ago', from: 'medium', cell: ({ created_at }) => created_at },
  { header: 'Last use', as: 'ago', from: 'small', cell: ({ last_used_at }) => last_used_at },
  {
    header: 'Ends without use',
    as: 'ago',
    width: '120px',
    from: 'wide',
    cell: ({ idle_expires_at }) => idle_expires_at,
  },
  {
    header: 'Actions',
    width: '80px',
    align: 'end',
    cell: (session) => (session.current ? 'Yours' : <EndButton session={session} />),
  },
];

/** Who is signed in. An admin ends a session, for example of a lost device. */
export function Sessions() {
  return (
    <DataTable
      title="Sessions"
      columns={columns}
      query={useInfiniteQuery(sessionsQuery)}
      empty={<EmptyState title="No session">Programs with a bearer token have no session.</EmptyState>}
    />
  );
}

function EndButton({ session: { id, actor } }: { session: Listed }) {
  if (!useMay('admin')) return null;
  return (
    <ConfirmButton
      label="End"
      name={`End session of ${actor.name}`}
      small
      look="quiet"
      title={`End the session of ${actor.name}?`}
      action="End session"
      danger
      done="The session has ended."
      refresh={['sessions']}
      onConfirm={() => callInstallation('DELETE /sessions/{sessionId}', { sessionId: id })}
    >
      <p>
        It ends at once. The operator can sign in again: revoke the token too, or remove the role at the identity
        provider.
      </p>
    </ConfirmButton>
  );
}
