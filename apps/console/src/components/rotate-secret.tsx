import { useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { SelectField } from './fields';
import { FormDialog } from './form-dialog';
import { SecretOnce } from './secret-once';

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
  const [isAsked, setAsked] = useState(false);
  const [hours, setHours] = useState('24');
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    const rotated = await onRotate(Number(hours));
    setAsked(false);
    setSecret(rotated);
  };
  return (
    <>
      <Button small onClick={() => setAsked(true)}>
        Rotate secret…
      </Button>
      {isAsked && (
        <FormDialog title="Rotate the signing secret" action="Rotate" onClose={() => setAsked(false)} onSubmit={rotate}>
          <SelectField
            label="The present secret stays valid for"
            hint="Until then, each request is signed with both secrets."
            choices={overlaps}
            value={hours}
            onChange={setHours}
          />
        </FormDialog>
      )}
      {secret !== undefined && (
        <Dialog open onOpenChange={() => setSecret(undefined)} title="The new signing secret">
          <SecretOnce label="Signing secret" value={secret} hint="Store it now: it is not shown again." />
        </Dialog>
      )}
    </>
  );
}
