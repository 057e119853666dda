import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { Facts } from '../../components/facts';
import { Icon } from '../../components/icon';
import { Section } from '../../components/page';
import { RevokeDialog } from '../../components/revoke-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago, Time } from '../../components/time';
import { useMay, useSession } from '../../data/access';
import { answerOf, api } from '../../data/api';
import { itemsOf } from '../../data/pages';
import { tenantsQuery } from '../../data/tenants';
import { serviceTokensQuery } from './access-queries';
import { methodOf, stateOf } from './describe-access';
import { Sessions } from './sessions';
import { type CreatedToken, TokenDialog } from './token-dialog';

type Token = Omit<CreatedToken, 'token'>;

/** The own session, those of all operators, and the tokens of people and programs that operate idsync. */
export function Operators() {
  const query = useInfiniteQuery(serviceTokensQuery);
  const { data: tenants } = useQuery(tenantsQuery);
  const client = useQueryClient();
  const { actor, expires_at, idle_expires_at } = useSession();
  const mayIssue = useMay('admin') && !actor.tenants;
  const [isIssuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<CreatedToken>();
  const [revoked, setRevoked] = useState<Token>();
  const refresh = () => client.invalidateQueries({ queryKey: ['service-tokens'] });
  const namesOf = (ids: readonly string[] | undefined) =>
    ids?.map((id) => tenants?.data.find((tenant) => tenant.id === id)?.name ?? id).join(', ') ?? 'All';
  const revoke = async ({ id }: Token) => {
    const params = { path: { serviceTokenId: id } };
    await answerOf(api.DELETE('/admin/v1/service-tokens/{serviceTokenId}', { params }));
    await refresh();
  };
  const columns: readonly Column<Token>[] = [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(0, 1.2fr)',
      cell: ({ name, id }) => (
        <span dir="auto" title={id}>
          {name}
        </span>
      ),
    },
    { id: 'role', header: 'Role', width: '80px', cell: ({ role }) => role },
    {
      id: 'tenants',
      header: 'Tenants',
      width: 'minmax(0, 1fr)',
      from: 'medium',
      cell: (token) => <span dir="auto">{namesOf(token.tenants)}</span>,
    },
    {
      id: 'status',
      header: 'Status',
      width: '120px',
      from: 'medium',
      cell: (token) => {
        const { word, tone } = stateOf(token);
        return <StatusBadge tone={tone}>{word}</StatusBadge>;
      },
    },
    { id: 'by', header: 'Issued by', width: '120px', from: 'wide', cell: ({ created_by }) => created_by },
    {
      id: 'used',
      header: 'Last used',
      width: '100px',
      align: 'end',
      from: 'medium',
      cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : 'Never'),
    },
    ...(mayIssue
      ? [
          {
            id: 'acts',
            header: 'Actions',
            width: '80px',
            align: 'end' as const,
            cell: (token: Token) =>
              !token.revoked_at && (
                <Button small look="quiet" aria-label={`Revoke ${token.name}`} onClick={() => setRevoked(token)}>
                  Revoke
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Section title="Your session">
        <Facts
          items={[
            ['Name', actor.name],
            ['Role', actor.role],
            ['Signed in with', methodOf(actor.kind)],
            ['Tenants', namesOf(actor.tenants)],
            ['Ends without use', idle_expires_at && <Time at={idle_expires_at} />],
            ['Ends at the latest', expires_at && <Time at={expires_at} />],
          ]}
        />
      </Section>
      {!actor.tenants && <Sessions />}
      <Section
        title="Service tokens"
        flush
        actions={
          mayIssue && (
            <Button small look="primary" onClick={() => setIssuing(true)}>
              <Icon name="plus" size={14} />
              Issue a token
            </Button>
          )
        }
      >
        <DataTable
          label="Service tokens"
          columns={columns}
          rows={itemsOf(query.data)}
          rowKey={({ id }) => id}
          query={query}
          empty={
            <EmptyState title="No token yet">
              Give each person and each program its own token, whose name is the actor in the audit log. With an
              identity provider, people need none.
            </EmptyState>
          }
        />
      </Section>
      {isIssuing && (
        <TokenDialog
          tenants={tenants?.data ?? []}
          onClose={() => setIssuing(false)}
          onIssued={async (token) => {
            setIssuing(false);
            setIssued(token);
            await refresh();
          }}
        />
      )}
      {issued && (
        <SecretDialog
          title={`Token ${issued.name}`}
          onClose={() => setIssued(undefined)}
          secrets={[
            { label: 'Service token', value: issued.token, hint: 'Shown this once. It signs in here and in the CLI.' },
          ]}
        />
      )}
      <RevokeDialog item={revoked} onClose={() => setRevoked(undefined)} onRevoke={revoke} done="The token is revoked.">
        Requests and sessions of this token end within a second.
      </RevokeDialog>
    </>
  );
}
