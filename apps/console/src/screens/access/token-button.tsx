import { useState } from 'react';
import { CheckField, FieldGroup, SelectField } from '../../components/fields';
import { callInstallation, type Tenant } from '../../data/api';
import type { Role } from '../../data/session';
import { IssueButton } from './issue-button';

const roles = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'operator', label: 'Operator: also decides' },
  { value: 'auditor', label: 'Auditor: also reads the audit log' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

/** Issues a token for a person or a program, and shows it once. */
export function TokenButton({ tenants }: { tenants: readonly Tenant[] }) {
  const [role, setRole] = useState<Role>('viewer');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const open = () => {
    setRole('viewer');
    setChosen([]);
  };
  const issue = async (named: { name: string; expires_at: string | undefined }) => {
    const body = { ...named, role, ...(chosen.length > 0 && { tenants: [...chosen] }) };
    const { token } = await callInstallation('POST /service-tokens', {}, body);
    return { label: 'Service token', value: token, hint: 'Shown this once. It signs in here and in the CLI.' };
  };
  return (
    <IssueButton
      label="Issue a token"
      icon="plus"
      look="primary"
      title="Issue a service token"
      noun="Token"
      nameHint="Name of the person or program in the audit log."
      refresh={['service-tokens']}
      onOpen={open}
      onIssue={issue}
    >
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
    </IssueButton>
  );
}
