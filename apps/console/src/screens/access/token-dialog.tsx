import { useState } from 'react';
import { CheckField, FieldGroup, SelectField, TextField } from '../../components/fields';
import { FormDialog } from '../../components/form-dialog';
import { answerOf, api, type operations, type Tenant } from '../../data/api';
import { roles } from './access-queries';
import { endOfDay } from './describe-access';

export type CreatedToken = operations['adminCreateServiceToken']['responses'][201]['content']['application/json'];
type Role = (typeof roles)[number]['value'];

interface TokenDialogProps {
  tenants: readonly Tenant[];
  onClose: () => void;
  onIssued: (token: CreatedToken) => Promise<void>;
}

export function TokenDialog({ tenants, onClose, onIssued }: TokenDialogProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('');
  const issue = async () => {
    const expiresAt = endOfDay(expires);
    const body = {
      name: name.trim(),
      role,
      ...(chosen.length > 0 && { tenants: [...chosen] }),
      ...(expiresAt && { expires_at: expiresAt }),
    };
    await onIssued(await answerOf(api.POST('/admin/v1/service-tokens', { body })));
  };
  return (
    <FormDialog
      title="Issue a service token"
      action="Issue"
      isReady={name.trim() !== ''}
      onClose={onClose}
      onSubmit={issue}
    >
      <TextField
        label="Name"
        hint="Name of the person or program in the audit log."
        value={name}
        onChange={setName}
        maxLength={200}
        autoComplete="off"
        dir="auto"
      />
      <SelectField label="Role" value={role} choices={roles} onChange={(value) => setRole(value as Role)} />
      <FieldGroup legend="Tenants" hint="Without a choice, the token is valid for all tenants.">
        {tenants.map(({ id, name: shown }) => (
          <CheckField
            key={id}
            label={shown}
            checked={chosen.includes(id)}
            onChange={(isChosen) => setChosen(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
      </FieldGroup>
      <TextField label="Valid until (optional)" type="date" value={expires} onChange={setExpires} />
    </FormDialog>
  );
}
