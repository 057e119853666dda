import type { WebhookDetails } from '@idsync/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../components/button';
import { CheckField } from '../components/fields';
import { FormDialog } from '../components/form-dialog';
import { notify } from '../components/notices';
import { WebhookFields } from '../components/webhook-fields';
import { patchBody, webhookInputOf } from '../components/webhook-input';
import { answerOf, api } from './api';

export function SettingsButton({ webhook }: { webhook: WebhookDetails }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Change settings…
      </Button>
      {isOpen && <SettingsDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  );
}

function SettingsDialog({ webhook, onClose }: { webhook: WebhookDetails; onClose: () => void }) {
  const [input, setInput] = useState(() => webhookInputOf(webhook));
  const [active, setActive] = useState(webhook.active);
  const client = useQueryClient();
  const save = async () => {
    const params = { path: { id: webhook.id } };
    await answerOf(api.PATCH('/v1/webhooks/{id}', { params, body: { ...patchBody(input), active } }));
    notify('The settings are saved.');
    await client.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog title="Settings of the webhook" action="Save" onClose={onClose} onSubmit={save}>
      <WebhookFields
        input={input}
        headerNames={webhook.header_names}
        onChange={(changed) => setInput((old) => ({ ...old, ...changed }))}
      />
      <CheckField
        label="Active"
        hint="While it is inactive, events are not kept for it."
        checked={active}
        onChange={setActive}
      />
    </FormDialog>
  );
}
