import { useState } from 'react';
import { CheckField, FieldGroup, TextArea } from '../../components/fields';
import { type ApiKey, call } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';
import styles from './access.module.css';
import { IssueButton } from './issue-button';

export const scopes = [
  'identities:read',
  'users:read',
  'accounts:read',
  'machines:read',
  'groups:read',
  'events:read',
  'sync:read',
  'sync:write',
  'webhooks:read',
  'webhooks:write',
] as const;
type Scope = (typeof scopes)[number];

interface KeyButtonProps {
  /** The key that is rotated: the new one has its scopes and networks. */
  like?: ApiKey;
}

/** Issues a key, and shows it once. */
export function KeyButton({ like }: KeyButtonProps) {
  const tenantId = useTenantId();
  const rights = scopes.filter((scope) => like?.scopes.includes(scope) ?? scope.endsWith(':read'));
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
          {scopes.map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              checked={chosen.includes(scope)}
              onChange={(isChosen) =>
                setChosen(scopes.filter((each) => (each === scope ? isChosen : chosen.includes(each))))
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
