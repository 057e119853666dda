import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { Icon } from '../../components/icon';
import { Section } from '../../components/page';
import { RevokeDialog } from '../../components/revoke-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { type ApiKey, type CreatedApiKey, call } from '../../data/api';
import { itemsOf } from '../../data/pages';
import styles from './access.module.css';
import { keysQuery, scopes } from './access-queries';
import { scopesOf, stateOf } from './describe-access';
import { KeyDialog } from './key-dialog';

interface Acts {
  rotate: (key: ApiKey) => void;
  revoke: (key: ApiKey) => void;
}

const columnsOf = (acts: Acts | undefined): readonly Column<ApiKey>[] => [
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
  {
    id: 'scopes',
    header: 'Scopes',
    width: 'minmax(0, 1.4fr)',
    from: 'medium',
    cell: (key) => <span title={key.scopes.join(', ')}>{scopesOf(key.scopes, scopes.length)}</span>,
  },
  {
    id: 'networks',
    header: 'From',
    width: 'minmax(0, 1fr)',
    from: 'wide',
    cell: ({ allowed_networks }) => (
      <span title={allowed_networks?.join(', ')}>{allowed_networks?.join(', ') ?? 'Anywhere'}</span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '120px',
    from: 'small',
    cell: (key) => {
      const { word, tone } = stateOf(key);
      return <StatusBadge tone={tone}>{word}</StatusBadge>;
    },
  },
  {
    id: 'expires',
    header: 'Expires',
    width: '100px',
    align: 'end',
    from: 'wide',
    cell: ({ expires_at }) => (expires_at ? <Ago at={expires_at} /> : 'Never'),
  },
  {
    id: 'used',
    header: 'Last used',
    width: '100px',
    align: 'end',
    from: 'medium',
    cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : 'Never'),
  },
  ...(acts
    ? [
        {
          id: 'acts',
          header: 'Actions',
          width: '140px',
          align: 'end' as const,
          cell: (key: ApiKey) =>
            !key.revoked_at && (
              <span className={styles.acts}>
                <Button small look="quiet" aria-label={`Rotate ${key.name}`} onClick={() => acts.rotate(key)}>
                  Rotate
                </Button>
                <Button small look="quiet" aria-label={`Revoke ${key.name}`} onClick={() => acts.revoke(key)}>
                  Revoke
                </Button>
              </span>
            ),
        },
      ]
    : []),
];

/** Keys of programs. To rotate one, a second key is issued; the first is revoked when the program has the second. */
export function ApiKeys({ tenantId }: { tenantId: string }) {
  const query = useInfiniteQuery(keysQuery(tenantId));
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const [asked, setAsked] = useState<{ like?: ApiKey }>();
  const [issued, setIssued] = useState<CreatedApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const refresh = () => client.invalidateQueries({ queryKey: ['api-keys', tenantId] });
  const revoke = async ({ id }: ApiKey) => {
    const ids = { tenantId, keyId: id };
    await call('DELETE /api-keys/{keyId}', ids);
    await refresh();
  };
  const add = mayChange && (
    <Button small look="primary" onClick={() => setAsked({})}>
      <Icon name="plus" size={14} />
      Issue a key
    </Button>
  );
  return (
    <Section title="API keys" flush actions={add}>
      <DataTable
        label="API keys"
        columns={columnsOf(mayChange ? { rotate: (like) => setAsked({ like }), revoke: setRevoked } : undefined)}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        query={query}
        empty={
          <EmptyState title="No key yet">A program needs a key to read people or to subscribe to events.</EmptyState>
        }
      />
      {asked && (
        <KeyDialog
          tenantId={tenantId}
          like={asked.like}
          onClose={() => setAsked(undefined)}
          onIssued={async (key) => {
            setAsked(undefined);
            setIssued(key);
            await refresh();
          }}
        />
      )}
      {issued && (
        <SecretDialog
          title={`Key ${issued.name}`}
          onClose={() => setIssued(undefined)}
          secrets={[{ label: 'API key', value: issued.key, hint: 'Shown this once. Send it as X-API-Key.' }]}
        />
      )}
      <RevokeDialog item={revoked} onClose={() => setRevoked(undefined)} onRevoke={revoke} done="The key is revoked.">
        Requests with this key are refused within a second.
        {revoked?.last_used_at && (
          <>
            {' '}
            It was used <Ago at={revoked.last_used_at} />.
          </>
        )}
      </RevokeDialog>
    </Section>
  );
}
