import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmButton, RevokeButton } from '../../components/dialog';
import { CheckField, FieldGroup, SelectField } from '../../components/fields';
import { Section } from '../../components/page';
import { Facts, Time } from '../../components/values';
import { stateOf } from '../../components/words';
import { callInstallation, type InstallationAnswer, type Tenant } from '../../data/api';
import { tenantsQuery } from '../../data/queries';
import { offsetPages } from '../../data/query-client';
import { type Role, useMay, useSession } from '../../data/session';
import { methodOf } from './describe-access';
import { IssueButton, Named } from './issue-button';

const serviceTokensQuery = offsetPages(['service-tokens'], (offset) =>
  callInstallation('GET /service-tokens', {}, { limit: 100, offset }),
);

type Token = InstallationAnswer<'GET /service-tokens'>['data'][number];

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
    { header: 'Role', width: '80px', cell: 'role' },
    { header: 'Tenants', from: 'medium', cell: (token) => namesOf(token.tenants) },
    { header: 'Status', as: 'status', from: 'medium', cell: (token) => stateOf(token) },
    { header: 'Issued by', width: '120px', from: 'wide', cell: 'created_by' },
    { header: 'Last used', as: 'ago', from: 'medium', cell: 'last_used_at', none: 'Never' },
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
        empty={{
          title: 'No token yet',
          text: 'Give each person and each program its own token, whose name is the actor in the audit log. With an identity provider, people need none.',
        }}
        actions={mayIssue && <TokenButton tenants={tenants?.data ?? []} />}
      />
    </>
  );
}

// Not live: reading it again and again would extend the session of the reader.
const sessionsQuery = offsetPages(['sessions'], (offset) =>
  callInstallation('GET /sessions', {}, { limit: 100, offset }),
);

type Listed = InstallationAnswer<'GET /sessions'>['data'][number];

const columns: readonly Column<Listed>[] = [
  { header: 'Name', width: 'minmax(0, 1.2fr)', cell: ({ actor }) => Named(actor) },
  { header: 'Role', width: '80px', cell: ({ actor }) => actor.role },
  { header: 'Signed in with', from: 'medium', cell: ({ actor }) => methodOf(actor.kind) },
  { header: 'Since', as: 'ago', from: 'medium', cell: 'created_at' },
  { header: 'Last use', as: 'ago', from: 'small', cell: 'last_used_at' },
  { header: 'Ends without use', as: 'ago', width: '120px', from: 'wide', cell: 'idle_expires_at' },
  {
    header: 'Actions',
    width: '80px',
    align: 'end',
    cell: (session) => (session.current ? 'Yours' : <EndButton session={session} />),
  },
];

/** The sessions of operators. An admin ends a session, for example of a lost device. */
function Sessions() {
  return (
    <DataTable
      title="Sessions"
      columns={columns}
      query={useInfiniteQuery(sessionsQuery)}
      empty={{ title: 'No session', text: 'Programs with a bearer token have no session.' }}
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

const roles = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'operator', label: 'Operator: also decides' },
  { value: 'auditor', label: 'Auditor: also reads the audit log' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

/** Issues a token for a person or a program, and shows it once. */
function TokenButton({ tenants }: { tenants: readonly Tenant[] }) {
  const [role, setRole] = useState<Role>('viewer');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const open = () => {
    setRole('viewer');
    setChosen([]);
  };
  const issue = async (named: { name: string; expires_at: string | undefined }) => {
    const body = { ...named, role, ...(chosen.length > 0 && { tenants: [...chosen] }) };
    const { token } = await callInstallation('POST /service-tokens', {}, body);
    return { label: 'Service token', value: token, hint: 'Shown this once. It signs in here and in the CLI.' };
  };
  return (
    <IssueButton
      label="Issue a token"
      icon="plus"
      look="primary"
      title="Issue a service token"
      noun="Token"
      nameHint="Name of the person or program in the audit log."
      refresh={['service-tokens']}
      onOpen={open}
      onIssue={issue}
    >
      <SelectField label="Role" value={role} choices={roles} onChange={(value) => setRole(value as Role)} />
      <FieldGroup legend="Tenants" hint="Without a choice, the token is valid for all tenants.">
        {tenants.map(({ id, name: shown }) => (
          <CheckField
            key={id}
            label={shown}
            checked={chosen.includes(id)}
            onChange={(isChosen) => setChosen(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
      </FieldGroup>
    </IssueButton>
  );
}
