import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/data-table';
import { RevokeButton } from '../../components/revoke-button';
import { EmptyState } from '../../components/states';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { type ApiKey, call } from '../../data/api';
import styles from './access.module.css';
import { keysQuery, scopes } from './access-queries';
import { scopesOf, stateOf } from './describe-access';
import { KeyButton } from './key-button';
import { Named } from './named';

const columns: readonly Column<ApiKey>[] = [
  { header: 'Name', width: 'minmax(0, 1.2fr)', cell: Named },
  {
    header: 'Scopes',
    width: 'minmax(0, 1.4fr)',
    from: 'medium',
    cell: (key) => <span title={key.scopes.join(', ')}>{scopesOf(key.scopes, scopes.length)}</span>,
  },
  { header: 'From', from: 'wide', cell: ({ allowed_networks }) => allowed_networks?.join(', '), none: 'Anywhere' },
  { header: 'Status', as: 'status', from: 'small', cell: (key) => stateOf(key) },
  { header: 'Expires', as: 'ago', from: 'wide', cell: ({ expires_at }) => expires_at, none: 'Never' },
  { header: 'Last used', as: 'ago', from: 'medium', cell: ({ last_used_at }) => last_used_at, none: 'Never' },
];

/** Keys of programs. To rotate one, a second key is issued; the first is revoked when the program has the second. */
export function ApiKeys({ tenantId }: { tenantId: string }) {
  const query = useInfiniteQuery(keysQuery(tenantId));
  const mayChange = useMay('admin');
  const acts: Column<ApiKey> = {
    header: 'Actions',
    width: '140px',
    align: 'end',
    cell: (key) => !key.revoked_at && <Acts tenantId={tenantId} apiKey={key} />,
  };
  return (
    <DataTable
      title="API keys"
      columns={mayChange ? [...columns, acts] : columns}
      query={query}
      empty={
        <EmptyState title="No key yet">A program needs a key to read people or to subscribe to events.</EmptyState>
      }
      actions={mayChange && <KeyButton tenantId={tenantId} />}
    />
  );
}

function Acts({ tenantId, apiKey }: { tenantId: string; apiKey: ApiKey }) {
  return (
    <span className={styles.acts}>
      <KeyButton tenantId={tenantId} like={apiKey} />
      <RevokeButton
        name={apiKey.name}
        done="The key is revoked."
        refresh={['api-keys', tenantId]}
        onRevoke={() => call('DELETE /api-keys/{keyId}', { tenantId, keyId: apiKey.id })}
      >
        Requests with this key are refused within a second.
        {apiKey.last_used_at && (
          <>
            {' '}
            It was used <Ago at={apiKey.last_used_at} />.
          </>
        )}
      </RevokeButton>
    </span>
  );
}
