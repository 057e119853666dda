import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { FormButton, RevokeButton } from '../../components/dialog';
import { TextField } from '../../components/fields';
import { stateOf } from '../../components/words';
import { type Connector, type ConnectorTokenPage, call, read, useTenantId } from '../../data/api';
import { useMay } from '../../data/session';

type Token = ConnectorTokenPage['data'][number];

/** Tokens with which an identity provider pushes: issue, rotate by issuing a second one, revoke. */
export function SourceTokens({ source }: { source: Connector }) {
  const tenantId = useTenantId();
  const mayChange = useMay('admin');
  const [name, setName] = useState('');
  const ids = { tenantId, connectorId: source.id };
  const query = read('connector-tokens', 'GET /connectors/{connectorId}/tokens', ids, { limit: 100 });
  const columns: readonly Column<Token>[] = [
    { header: 'Name', cell: 'name' },
    { header: 'Status', width: '110px', cell: (token) => stateOf(token) },
    { header: 'Last used', as: 'ago', from: 'medium', cell: 'last_used_at', none: 'Never' },
    { header: 'Issued', as: 'ago', from: 'medium', cell: 'created_at' },
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
            refresh={query.queryKey}
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
      query={useQuery(query)}
      empty={{
        title: 'No token yet',
        text: 'Issue a token, and enter it at the identity provider together with the address of the SCIM service.',
      }}
      actions={
        mayChange && (
          <FormButton
            label="Issue a token"
            small
            title="Issue a token"
            action="Issue"
            isReady={name.trim() !== ''}
            refresh={query.queryKey}
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
