import type { WebhookDetails } from '@idsync/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../components/button';
import { CheckField, TextArea, TextField } from '../components/fields';
import { FormDialog } from '../components/form-dialog';
import { notify } from '../components/notices';
import { answerOf, api } from './api';
import { settingsOf, settingsPatch } from './settings-input';

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

/** Address, events and filter of a webhook. The service checks them. */
function SettingsDialog({ webhook, onClose }: { webhook: WebhookDetails; onClose: () => void }) {
  const [input, setInput] = useState(() => settingsOf(webhook));
  const client = useQueryClient();
  const set = (changed: Partial<typeof input>) => setInput((old) => ({ ...old, ...changed }));
  const save = async () => {
    const params = { path: { id: webhook.id } };
    await answerOf(api.PATCH('/v1/webhooks/{id}', { params, body: settingsPatch(input) }));
    notify('The settings are saved.');
    await client.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog title="Settings of the webhook" action="Save" onClose={onClose} onSubmit={save}>
      <TextField
        label="Address"
        type="url"
        required
        spellCheck={false}
        value={input.address}
        onChange={(address) => set({ address })}
      />
      <TextArea
        label="Events"
        hint="One on each line: an event such as user.created, a prefix such as identity.*, or * for all."
        rows={4}
        spellCheck={false}
        value={input.events}
        onChange={(events) => set({ events })}
      />
      <TextArea
        label="Filter (optional)"
        hint="JSON: only events whose body matches are sent."
        rows={3}
        spellCheck={false}
        value={input.filter}
        onChange={(filter) => set({ filter })}
      />
      <CheckField
        label="Active"
        hint="While it is inactive, events are not kept for it."
        checked={input.active}
        onChange={(active) => set({ active })}
      />
    </FormDialog>
  );
}
