import { useState } from 'react';
import { SelectField } from './fields';
import { FormButton } from './form-dialog';

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '0', label: 'Not at all: it has leaked' },
];

interface RotateSecretProps {
  /** Replaces the secret and returns the new one; the earlier ones stay valid for these hours. */
  onRotate: (overlapHours: number) => Promise<string>;
}

/** Replaces the signing secret, and shows the new one once. */
export function RotateSecret({ onRotate }: RotateSecretProps) {
  const [hours, setHours] = useState('24');
  const rotate = async () => {
    const value = await onRotate(Number(hours));
    const hint = 'Store it now: it is not shown again.';
    return { title: 'The new signing secret', secrets: [{ label: 'Signing secret', value, hint }] };
  };
  return (
    <FormButton label="Rotate secret…" small title="Rotate the signing secret" action="Rotate" onSubmit={rotate}>
      <SelectField
        label="The present secret stays valid for"
        hint="Until then, each request is signed with both secrets."
        choices={overlaps}
        value={hours}
        onChange={setHours}
      />
    </FormButton>
  );
}
