import { useState } from 'react';
import { CheckField, FieldGroup, TextArea, TextField } from '../../components/fields';
import { FormButton } from '../../components/form-dialog';
import { type ApiKey, call } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';
import styles from './access.module.css';
import { endOfDay } from './describe-access';

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
  const initial = {
    name: like?.name ?? '',
    chosen: scopes.filter((scope) => like?.scopes.includes(scope) ?? scope.endsWith(':read')) as readonly Scope[],
    networks: like?.allowed_networks?.join('\n') ?? '',
    expires: '',
  };
  const [{ name, chosen, networks, expires }, setInput] = useState(initial);
  const set = (change: Partial<typeof initial>) => setInput((old) => ({ ...old, ...change }));
  const issue = async () => {
    const allowed = networks.split(/[\s,]+/).filter((each) => each !== '');
    const { key } = await call(
      'POST /api-keys',
      { tenantId },
      {
        name: name.trim(),
        scopes: [...chosen],
        ...(allowed.length > 0 && { allowed_networks: allowed }),
        expires_at: endOfDay(expires),
      },
    );
    return {
      title: `Key ${name.trim()}`,
      secrets: [{ label: 'API key', value: key, hint: 'Shown this once. Send it as X-API-Key.' }],
    };
  };
  return (
    <FormButton
      {...(like
        ? { label: 'Rotate', name: `Rotate ${like.name}`, look: 'quiet' }
        : { label: 'Issue a key', icon: 'plus', look: 'primary' })}
      small
      title={like ? `Rotate ${like.name}` : 'Issue an API key'}
      action="Issue"
      isReady={name.trim() !== '' && chosen.length > 0}
      refresh={['api-keys', tenantId]}
      onOpen={() => setInput(initial)}
      onSubmit={issue}
    >
      {like && (
        <p className={styles.note}>
          This issues a second key with the same rights. Give it to the program, then revoke the first one.
        </p>
      )}
      <TextField
        label="Name"
        hint="The program that uses it."
        value={name}
        onChange={(typed) => set({ name: typed })}
        maxLength={200}
        dir="auto"
      />
      <FieldGroup legend="Scopes">
        <div className={styles.scopes}>
          {scopes.map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              checked={chosen.includes(scope)}
              onChange={(isChosen) =>
                set({ chosen: scopes.filter((each) => (each === scope ? isChosen : chosen.includes(each))) })
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
        onChange={(typed) => set({ networks: typed })}
      />
      <TextField
        label="Valid until (optional)"
        type="date"
        value={expires}
        onChange={(date) => set({ expires: date })}
      />
    </FormButton>
  );
}
