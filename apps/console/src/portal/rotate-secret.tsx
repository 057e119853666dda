import { useState } from 'react';
import { Button } from '../components/button';
import { Dialog } from '../components/dialog';
import { SelectField } from '../components/fields';
import { FormDialog } from '../components/form-dialog';
import { SecretOnce } from '../components/secret-once';
import { answerOf, api } from './api';

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '0', label: 'Not at all: it has leaked' },
];

/** Replaces the signing secret, and shows the new one once. */
export function RotateSecret({ id }: { id: string }) {
  const [isAsked, setAsked] = useState(false);
  const [hours, setHours] = useState('24');
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    const body = { overlap_hours: Number(hours) };
    const rotated = await answerOf(api.POST('/v1/webhooks/{id}/rotate-secret', { params: { path: { id } }, body }));
    setAsked(false);
    setSecret(rotated.signing_secret);
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
