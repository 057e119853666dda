import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/data-table';
import { Facts } from '../../components/facts';
import { Section } from '../../components/page';
import { RevokeButton } from '../../components/revoke-button';
import { EmptyState } from '../../components/states';
import { Time } from '../../components/time';
import { useMay, useSession } from '../../data/access';
import { callInstallation, type operations } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { tenantsQuery } from '../../data/tenants';
import { methodOf, stateOf } from './describe-access';
import { Named } from './named';
import { Sessions } from './sessions';
import { TokenButton } from './token-button';

const serviceTokensQuery = offsetPages(['service-tokens'], (offset) =>
  callInstallation('GET /service-tokens', {}, { limit: 100, offset }),
);

type Token = operations['adminListServiceTokens']['responses'][200]['content']['application/json']['data'][number];

/** The own session, those of all operators, and the tokens of people and programs that operate idsync. */
export function Operators() {
  const query = useInfiniteQuery(serviceTokensQuery);
  const { data: tenants } = useQuery(tenantsQuery);
  const { actor, expires_at, idle_expires_at } = useSession();
  const mayIssue = useMay('admin') && !actor.tenants;
  const namesOf = (ids: readonly string[] | undefined) =>
    ids?.map((id) => tenants?.data.find((tenant) => tenant.id === id)?.name ?? id).join(', ') ?? 'All';
  const columns: readonly Column<Token>[] = [
    { header: 'Name', width: 'minmax(0, 1.2fr)', cell: Named },
    { header: 'Role', width: '80px', cell: ({ role }) => role },
    { header: 'Tenants', from: 'medium', cell: (token) => namesOf(token.tenants) },
    { header: 'Status', as: 'status', from: 'medium', cell: (token) => stateOf(token) },
    { header: 'Issued by', width: '120px', from: 'wide', cell: ({ created_by }) => created_by },
    { header: 'Last used', as: 'ago', from: 'medium', cell: ({ last_used_at }) => last_used_at, none: 'Never' },
  ];
  const acts: Column<Token> = {
    header: 'Actions',
    width: '80px',
    align: 'end',
    cell: ({ id, name, revoked_at }) =>
      !revoked_at && (
        <RevokeButton
          name={name}
          done="The token is revoked."
          refresh={['service-tokens']}
          onRevoke={() => callInstallation('DELETE /service-tokens/{serviceTokenId}', { serviceTokenId: id })}
        >
          Requests and sessions of this token end within a second.
        </RevokeButton>
      ),
  };
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
      <DataTable
        title="Service tokens"
        columns={mayIssue ? [...columns, acts] : columns}
        query={query}
        empty={
          <EmptyState title="No token yet">
            Give each person and each program its own token, whose name is the actor in the audit log. With an identity
            provider, people need none.
          </EmptyState>
        }
        actions={mayIssue && <TokenButton tenants={tenants?.data ?? []} />}
      />
    </>
  );
}
