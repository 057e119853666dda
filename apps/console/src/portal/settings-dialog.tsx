import type { WebhookDetails } from '@idsync/client/operator';
import { useState } from 'react';
import { CheckField } from '../components/fields';
import { FormButton } from '../components/form-dialog';
import { WebhookFields } from '../components/webhook-fields';
import { patchBody, webhookInputOf } from '../components/webhook-input';
import { call } from './api';

export function SettingsButton({ webhook }: { webhook: WebhookDetails }) {
  const initial = () => ({ ...webhookInputOf(webhook), active: webhook.active });
  const [input, setInput] = useState(initial);
  const set = (changed: Partial<typeof input>) => setInput((old) => ({ ...old, ...changed }));
  const save = async () => {
    const body = { ...patchBody(input), active: input.active };
    await call('PATCH /{id}', { id: webhook.id }, body);
    return undefined;
  };
  return (
    <FormButton
      label="Change settings…"
      small
      title="Settings of the webhook"
      action="Save"
      done="The settings are saved."
      refresh={[]}
      onOpen={() => setInput(initial())}
      onSubmit={save}
    >
      <WebhookFields input={input} headerNames={webhook.header_names} onChange={set} />
      <CheckField
        label="Active"
        hint="While it is inactive, events are not kept for it."
        checked={input.active}
        onChange={(active) => set({ active })}
      />
    </FormButton>
  );
}
