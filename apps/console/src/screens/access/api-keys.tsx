import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/data-table';
import { RevokeButton } from '../../components/revoke-button';
import { EmptyState } from '../../components/states';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { type ApiKey, call } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { useTenantId } from '../../data/use-tenant';
import styles from './access.module.css';
import { scopesOf, stateOf } from './describe-access';
import { KeyButton, scopes } from './key-button';
import { Named } from './named';

const keysQuery = (tenantId: string) =>
  offsetPages(['api-keys', tenantId], (offset) => call('GET /api-keys', { tenantId }, { limit: 100, offset }));

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
export function ApiKeys() {
  const query = useInfiniteQuery(keysQuery(useTenantId()));
  const mayChange = useMay('admin');
  const acts: Column<ApiKey> = {
    header: 'Actions',
    width: '140px',
    align: 'end',
    cell: (key) => !key.revoked_at && <Acts apiKey={key} />,
  };
  return (
    <DataTable
      title="API keys"
      columns={mayChange ? [...columns, acts] : columns}
      query={query}
      empty={
        <EmptyState title="No key yet">A program needs a key to read people or to subscribe to events.</EmptyState>
      }
      actions={mayChange && <KeyButton />}
    />
  );
}

function Acts({ apiKey }: { apiKey: ApiKey }) {
  const tenantId = useTenantId();
  return (
    <span className={styles.acts}>
      <KeyButton like={apiKey} />
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
