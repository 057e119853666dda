import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { TextField } from '../../components/fields';
import { FormDialog } from '../../components/form-dialog';
import { Section } from '../../components/page';
import { RevokeDialog } from '../../components/revoke-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { type Connector, type ConnectorTokenPage, type CreatedConnectorToken, call } from '../../data/api';
import { tokensQuery } from './source-queries';

type Token = ConnectorTokenPage['data'][number];

const columnsOf = (onRevoke: ((token: Token) => void) | undefined): readonly Column<Token>[] => [
  { id: 'name', header: 'Name', width: 'minmax(0, 1fr)', cell: ({ name }) => <span dir="auto">{name}</span> },
  {
    id: 'status',
    header: 'Status',
    width: '110px',
    cell: ({ revoked_at }) => (
      <StatusBadge tone={revoked_at ? 'neutral' : 'ok'}>{revoked_at ? 'Revoked' : 'Active'}</StatusBadge>
    ),
  },
  {
    id: 'used',
    header: 'Last used',
    width: '120px',
    align: 'end',
    from: 'medium',
    cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : 'Never'),
  },
  {
    id: 'created',
    header: 'Issued',
    width: '120px',
    align: 'end',
    from: 'medium',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
  {
    id: 'revoke',
    header: 'Actions',
    width: '80px',
    align: 'end',
    cell: (token) =>
      onRevoke &&
      !token.revoked_at && (
        <Button small look="quiet" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
  },
];

/** Tokens with which an identity provider pushes: issue, rotate by issuing a second one, revoke. */
export function SourceTokens({ tenantId, source }: { tenantId: string; source: Connector }) {
  const query = useQuery(tokensQuery(tenantId, source.id));
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const [isIssuing, setIssuing] = useState(false);
  const [name, setName] = useState('');
  const [issued, setIssued] = useState<CreatedConnectorToken>();
  const [revoked, setRevoked] = useState<Token>();
  const refresh = () => client.invalidateQueries({ queryKey: ['connector-tokens', tenantId, source.id] });
  const ids = { tenantId, connectorId: source.id };
  const issue = async () => {
    const body = { name: name.trim() };
    setIssued(await call('POST /connectors/{connectorId}/tokens', ids, body));
    setIssuing(false);
    setName('');
    await refresh();
  };
  const revoke = async ({ id }: Token) => {
    await call('DELETE /connectors/{connectorId}/tokens/{tokenId}', { ...ids, tokenId: id });
    await refresh();
  };
  return (
    <Section
      title="Tokens of the identity provider"
      flush
      actions={
        mayChange && (
          <Button small onClick={() => setIssuing(true)}>
            Issue a token
          </Button>
        )
      }
    >
      <DataTable
        label="Tokens"
        columns={columnsOf(mayChange ? setRevoked : undefined)}
        rows={query.data?.data ?? []}
        rowKey={({ id }) => id}
        query={query}
        empty={
          <EmptyState title="No token yet">
            Issue a token, and enter it at the identity provider together with the address of the SCIM service.
          </EmptyState>
        }
      />
      {isIssuing && (
        <FormDialog
          title="Issue a token"
          action="Issue"
          isReady={name.trim() !== ''}
          onClose={() => setIssuing(false)}
          onSubmit={issue}
        >
          <TextField label="Name" hint="Who uses it, such as: Okta provisioning" value={name} onChange={setName} />
        </FormDialog>
      )}
      {issued && (
        <SecretDialog
          title={`Token ${issued.name}`}
          onClose={() => setIssued(undefined)}
          secrets={[
            { label: 'Token', value: issued.token, hint: 'Shown this once. Store it at the identity provider now.' },
            { label: 'Address of the SCIM service', value: `${location.origin}${issued.path}` },
          ]}
        />
      )}
      <RevokeDialog item={revoked} onClose={() => setRevoked(undefined)} onRevoke={revoke} done="The token is revoked.">
        Pushes with this token are refused within a second.
      </RevokeDialog>
    </Section>
  );
}
