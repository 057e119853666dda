import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notify } from '../../components/notices';
import { useMay } from '../../data/access';
import { answerOf, api, type WebhookDetails } from '../../data/api';

/** Sends a test event, and sends dead deliveries again. */
export function WebhookActions({ tenantId, webhook }: { tenantId: string; webhook: WebhookDetails }) {
  const [isAsked, setAsked] = useState(false);
  const client = useQueryClient();
  const path = { tenantId, webhookId: webhook.id };
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['webhooks', tenantId] }),
      client.invalidateQueries({ queryKey: ['deliveries', tenantId] }),
    ]);
  if (!useMay('operator')) return null;
  const test = async () => {
    try {
      await answerOf(
        api.POST('/admin/v1/tenants/{tenantId}/webhooks/{webhookId}/test', {
          params: { path },
          body: { message: 'This is a test.' },
        }),
      );
      notify('A test event is on its way.');
      await refresh();
    } catch (failure) {
      notify((failure as Error).message);
    }
  };
  const requeue = async () => {
    await answerOf(
      api.POST('/admin/v1/tenants/{tenantId}/webhooks/{webhookId}/requeue', {
        params: { path },
        body: { by: 'operator' },
      }),
    );
    notify('Dead deliveries are sent again.');
    await refresh();
  };
  return (
    <>
      <Button onClick={test}>Send test event</Button>
      {webhook.dead.count > 0 && <Button onClick={() => setAsked(true)}>Requeue dead…</Button>}
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title="Send all dead deliveries again?"
        action="Requeue"
        onConfirm={requeue}
      >
        <p>Each keeps its webhook-id, so that a receiver recognises an event that it has handled already.</p>
      </ConfirmDialog>
    </>
  );
}
