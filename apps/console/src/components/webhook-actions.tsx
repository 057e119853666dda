import type { WebhookDetails } from '@idsync/client/operator';
import { useState } from 'react';
import { ConfirmButton, FormButton } from './dialog';
import { SelectField } from './fields';
import { SendButton } from './form';
import { notify } from './notices';

interface SendActionsProps {
  dead: WebhookDetails['dead'];
  /** As the text names it: "a receiver", "your receiver". */
  receiver: string;
  onTest: () => Promise<unknown>;
  onRequeue: () => Promise<unknown>;
  /** Reads again what these change. */
  refresh: () => Promise<unknown>;
}

/** Sends a test event, and sends dead deliveries again. */
export function SendActions({ dead, receiver, onTest, onRequeue, refresh }: SendActionsProps) {
  const test = async () => {
    await onTest();
    notify('A test event is on its way. Its delivery is the newest of the list.');
    await refresh();
  };
  return (
    <>
      <SendButton onSend={test}>Send test event</SendButton>
      {dead.count > 0 && (
        <ConfirmButton
          label="Requeue dead…"
          title="Send all dead deliveries again?"
          action="Requeue"
          done="Dead deliveries are sent again."
          onDone={refresh}
          onConfirm={onRequeue}
        >
          <p>Each keeps its webhook-id, so that {receiver} recognises an event that it has handled already.</p>
        </ConfirmButton>
      )}
    </>
  );
}

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
