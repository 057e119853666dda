import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { type Column, DataTable } from '../../components/data-table';
import { notify } from '../../components/notices';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { answerOf, api, type operations } from '../../data/api';
import { itemsOf } from '../../data/pages';
import { sessionsQuery } from './access-queries';
import { methodOf } from './describe-access';

type Listed = operations['adminListSessions']['responses'][200]['content']['application/json']['data'][number];

const columns: readonly Column<Listed>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 1.2fr)',
    cell: ({ actor }) => (
      <span dir="auto" title={actor.id}>
        {actor.name}
      </span>
    ),
  },
  { id: 'role', header: 'Role', width: '80px', cell: ({ actor }) => actor.role },
  {
    id: 'method',
    header: 'Signed in with',
    width: 'minmax(0, 1fr)',
    from: 'medium',
    cell: ({ actor }) => methodOf(actor.kind),
  },
  {
    id: 'since',
    header: 'Since',
    width: '100px',
    align: 'end',
    from: 'medium',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
  {
    id: 'used',
    header: 'Last use',
    width: '100px',
    align: 'end',
    from: 'small',
    cell: ({ last_used_at }) => <Ago at={last_used_at} />,
  },
  {
    id: 'until',
    header: 'Ends without use',
    width: '120px',
    align: 'end',
    from: 'wide',
    cell: ({ idle_expires_at }) => <Ago at={idle_expires_at} />,
  },
];

/** Who is signed in. An admin ends a session, for example of a lost device. */
export function Sessions() {
  const query = useInfiniteQuery(sessionsQuery);
  const client = useQueryClient();
  const mayEnd = useMay('admin');
  const [asked, setAsked] = useState<Listed>();
  const end = async () => {
    if (!asked) return;
    await answerOf(api.DELETE('/admin/v1/sessions/{sessionId}', { params: { path: { sessionId: asked.id } } }));
    notify('The session has ended.');
    await client.invalidateQueries({ queryKey: ['sessions'] });
  };
  const acts: Column<Listed> = {
    id: 'acts',
    header: 'Actions',
    width: '80px',
    align: 'end',
    cell: (session) => {
      if (session.current) return 'Yours';
      return (
        mayEnd && (
          <Button
            small
            look="quiet"
            aria-label={`End session of ${session.actor.name}`}
            onClick={() => setAsked(session)}
          >
            End
          </Button>
        )
      );
    },
  };
  return (
    <>
      <Section title="Sessions" flush>
        <DataTable
          label="Sessions"
          columns={[...columns, acts]}
          rows={itemsOf(query.data)}
          rowKey={({ id }) => id}
          query={query}
          empty={<EmptyState title="No session">Programs with a bearer token have no session.</EmptyState>}
        />
      </Section>
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={`End the session of ${asked?.actor.name ?? ''}?`}
        action="End session"
        danger
        onConfirm={end}
      >
        <p>
          It ends at once. The operator can sign in again: revoke the token too, or remove the role at the identity
          provider.
        </p>
      </ConfirmDialog>
    </>
  );
}
