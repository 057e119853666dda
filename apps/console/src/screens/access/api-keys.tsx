import { type Scope, scopes } from '@idsync/contracts/fixed-values';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { RevokeButton } from '../../components/dialog';
import { CheckField, FieldGroup, TextArea } from '../../components/fields';
import { Ago } from '../../components/values';
import { stateOf } from '../../components/words';
import { type ApiKey, call, useTenantId } from '../../data/api';
import { offsetPages } from '../../data/query-client';
import { useMay } from '../../data/session';
import styles from './access.module.css';
import { scopesOf } from './describe-access';
import { IssueButton, Named } from './issue-button';

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
  { header: 'Expires', as: 'ago', from: 'wide', cell: 'expires_at', none: 'Never' },
  { header: 'Last used', as: 'ago', from: 'medium', cell: 'last_used_at', none: 'Never' },
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
      empty={{ title: 'No key yet', text: 'A program needs a key to read people or to subscribe to events.' }}
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

const shownScopes = scopes.toSorted();

interface KeyButtonProps {
  /** The key that is rotated: the new one has its scopes and networks. */
  like?: ApiKey;
}

/** Issues a key, and shows it once. */
function KeyButton({ like }: KeyButtonProps) {
  const tenantId = useTenantId();
  const rights = shownScopes.filter((scope) => like?.scopes.includes(scope) ?? scope.endsWith(':read'));
  const given = like?.allowed_networks?.join('\n') ?? '';
  const [chosen, setChosen] = useState<readonly Scope[]>(rights);
  const [networks, setNetworks] = useState(given);
  const open = () => {
    setChosen(rights);
    setNetworks(given);
  };
  const issue = async (named: { name: string; expires_at: string | undefined }) => {
    const allowed = networks.split(/[\s,]+/).filter((each) => each !== '');
    const body = { ...named, scopes: [...chosen], ...(allowed.length > 0 && { allowed_networks: allowed }) };
    const { key } = await call('POST /api-keys', { tenantId }, body);
    return { label: 'API key', value: key, hint: 'Shown this once. Send it as X-API-Key.' };
  };
  return (
    <IssueButton
      {...(like
        ? { label: 'Rotate', name: `Rotate ${like.name}`, look: 'quiet' }
        : { label: 'Issue a key', icon: 'plus', look: 'primary' })}
      title={like ? `Rotate ${like.name}` : 'Issue an API key'}
      noun="Key"
      nameHint="The program that uses it."
      firstName={like?.name}
      intro={
        like && (
          <p className={styles.note}>
            This issues a second key with the same rights. Give it to the program, then revoke the first one.
          </p>
        )
      }
      isReady={chosen.length > 0}
      refresh={['api-keys', tenantId]}
      onOpen={open}
      onIssue={issue}
    >
      <FieldGroup legend="Scopes">
        <div className={styles.scopes}>
          {shownScopes.map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              checked={chosen.includes(scope)}
              onChange={(isChosen) =>
                setChosen(shownScopes.filter((each) => (each === scope ? isChosen : chosen.includes(each))))
              }
            />
          ))}
        </div>
      </FieldGroup>
      <TextArea
        label="Address ranges (optional)"
        hint="Addresses or CIDR ranges, one on each line, such as 203.0.113.0/24. Without any, the key works from anywhere."
        rows={2}
        spellCheck={false}
        value={networks}
        onChange={setNetworks}
      />
    </IssueButton>
  );
}
