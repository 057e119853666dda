import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { TextField } from '../../components/fields';
import { FormButton } from '../../components/form-dialog';
import { RevokeButton } from '../../components/revoke-button';
import { EmptyState } from '../../components/states';
import { useMay } from '../../data/access';
import { type Connector, type ConnectorTokenPage, call } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';

/** Tokens with which an identity provider pushes to a source. */
const tokensQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['connector-tokens', tenantId, connectorId],
    queryFn: () => call('GET /connectors/{connectorId}/tokens', { tenantId, connectorId }, { limit: 100 }),
  });

type Token = ConnectorTokenPage['data'][number];

/** Tokens with which an identity provider pushes: issue, rotate by issuing a second one, revoke. */
export function SourceTokens({ source }: { source: Connector }) {
  const tenantId = useTenantId();
  const mayChange = useMay('admin');
  const [name, setName] = useState('');
  const ids = { tenantId, connectorId: source.id };
  const { queryKey } = tokensQuery(tenantId, source.id);
  const columns: readonly Column<Token>[] = [
    { header: 'Name', cell: (token) => token.name },
    {
      header: 'Status',
      width: '110px',
      cell: ({ revoked_at }) => (revoked_at ? { word: 'Revoked', tone: 'neutral' } : { word: 'Active', tone: 'ok' }),
    },
    {
      header: 'Last used',
      as: 'ago',
      width: '120px',
      from: 'medium',
      cell: (token) => token.last_used_at,
      none: 'Never',
    },
    { header: 'Issued', as: 'ago', width: '120px', from: 'medium', cell: ({ created_at }) => created_at },
    {
      header: 'Actions',
      width: '80px',
      align: 'end',
      cell: (token) =>
        mayChange &&
        !token.revoked_at && (
          <RevokeButton
            name={token.name}
            done="The token is revoked."
            refresh={queryKey}
            onRevoke={() => call('DELETE /connectors/{connectorId}/tokens/{tokenId}', { ...ids, tokenId: token.id })}
          >
            Pushes with this token are refused within a second.
          </RevokeButton>
        ),
    },
  ];
  const issue = async () => {
    const issued = await call('POST /connectors/{connectorId}/tokens', ids, { name: name.trim() });
    return {
      title: `Token ${issued.name}`,
      secrets: [
        { label: 'Token', value: issued.token, hint: 'Shown this once. Store it at the identity provider now.' },
        { label: 'Address of the SCIM service', value: `${location.origin}${issued.path}` },
      ],
    };
  };
  return (
    <DataTable
      title="Tokens of the identity provider"
      label="Tokens"
      columns={columns}
      query={useQuery(tokensQuery(tenantId, source.id))}
      empty={
        <EmptyState title="No token yet">
          Issue a token, and enter it at the identity provider together with the address of the SCIM service.
        </EmptyState>
      }
      actions={
        mayChange && (
          <FormButton
            label="Issue a token"
            small
            title="Issue a token"
            action="Issue"
            isReady={name.trim() !== ''}
            refresh={queryKey}
            onOpen={() => setName('')}
            onSubmit={issue}
          >
            <TextField label="Name" hint="Who uses it, such as: Okta provisioning" value={name} onChange={setName} />
          </FormButton>
        )
      }
    />
  );
}
