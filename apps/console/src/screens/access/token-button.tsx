import { useState } from 'react';
import { CheckField, FieldGroup, SelectField, TextField } from '../../components/fields';
import { FormButton } from '../../components/form-dialog';
import { callInstallation, type Tenant } from '../../data/api';
import { endOfDay } from './describe-access';

const roles = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'operator', label: 'Operator: also decides' },
  { value: 'auditor', label: 'Auditor: also reads the audit log' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

const initial = {
  name: '',
  role: 'viewer' as (typeof roles)[number]['value'],
  chosen: [] as readonly string[],
  expires: '',
};

/** Issues a token for a person or a program, and shows it once. */
export function TokenButton({ tenants }: { tenants: readonly Tenant[] }) {
  const [{ name, role, chosen, expires }, setInput] = useState(initial);
  const set = (change: Partial<typeof initial>) => setInput((old) => ({ ...old, ...change }));
  const issue = async () => {
    const body = {
      name: name.trim(),
      role,
      ...(chosen.length > 0 && { tenants: [...chosen] }),
      expires_at: endOfDay(expires),
    };
    const { token } = await callInstallation('POST /service-tokens', {}, body);
    return {
      title: `Token ${name.trim()}`,
      secrets: [{ label: 'Service token', value: token, hint: 'Shown this once. It signs in here and in the CLI.' }],
    };
  };
  return (
    <FormButton
      label="Issue a token"
      icon="plus"
      look="primary"
      small
      title="Issue a service token"
      action="Issue"
      isReady={name.trim() !== ''}
      refresh={['service-tokens']}
      onOpen={() => setInput(initial)}
      onSubmit={issue}
    >
      <TextField
        label="Name"
        hint="Name of the person or program in the audit log."
        value={name}
        onChange={(typed) => set({ name: typed })}
        maxLength={200}
        dir="auto"
      />
      <SelectField
        label="Role"
        value={role}
        choices={roles}
        onChange={(value) => set({ role: value as typeof role })}
      />
      <FieldGroup legend="Tenants" hint="Without a choice, the token is valid for all tenants.">
        {tenants.map(({ id, name: shown }) => (
          <CheckField
            key={id}
            label={shown}
            checked={chosen.includes(id)}
            onChange={(isChosen) => set({ chosen: isChosen ? [...chosen, id] : chosen.filter((each) => each !== id) })}
          />
        ))}
      </FieldGroup>
      <TextField
        label="Valid until (optional)"
        type="date"
        value={expires}
        onChange={(date) => set({ expires: date })}
      />
    </FormButton>
  );
}
