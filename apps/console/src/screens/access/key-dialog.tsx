import { useState } from 'react';
import { CheckField, FieldGroup, TextArea, TextField } from '../../components/fields';
import { FormDialog } from '../../components/form-dialog';
import { type ApiKey, type CreatedApiKey, call } from '../../data/api';
import styles from './access.module.css';
import { type Scope, scopes } from './access-queries';
import { endOfDay } from './describe-access';

interface KeyDialogProps {
  tenantId: string;
  /** The key that is rotated: the new one has its scopes and networks. */
  like?: ApiKey;
  onClose: () => void;
  onIssued: (key: CreatedApiKey) => Promise<void>;
}

export function KeyDialog({ tenantId, like, onClose, onIssued }: KeyDialogProps) {
  const [name, setName] = useState(like?.name ?? '');
  const [chosen, setChosen] = useState<readonly Scope[]>(
    scopes.filter((scope) => like?.scopes.includes(scope) ?? scope.endsWith(':read')),
  );
  const [networks, setNetworks] = useState(like?.allowed_networks?.join('\n') ?? '');
  const [expires, setExpires] = useState('');
  const issue = async () => {
    const allowed = networks.split(/[\s,]+/).filter((each) => each !== '');
    const expiresAt = endOfDay(expires);
    const key = await call(
      'POST /api-keys',
      { tenantId },
      {
        name: name.trim(),
        scopes: [...chosen],
        ...(allowed.length > 0 && { allowed_networks: allowed }),
        ...(expiresAt && { expires_at: expiresAt }),
      },
    );
    await onIssued(key);
  };
  return (
    <FormDialog
      title={like ? `Rotate ${like.name}` : 'Issue an API key'}
      action="Issue"
      isReady={name.trim() !== '' && chosen.length > 0}
      onClose={onClose}
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
        onChange={setName}
        maxLength={200}
        autoComplete="off"
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
      <TextField label="Valid until (optional)" type="date" value={expires} onChange={setExpires} />
    </FormDialog>
  );
}
