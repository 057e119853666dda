import type { WebhookDetails } from '@idsync/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { hostOf } from '../../components/describe-webhook';
import { notify } from '../../components/notices';
import { RotateSecret } from '../../components/rotate-secret';
import { call } from '../../data/api';

interface WebhookActsProps {
  tenantId: string;
  webhook: WebhookDetails;
}

/** Rotates the secret of a webhook, changes its settings, deactivates and deletes it. */
export function WebhookActs({ tenantId, webhook }: WebhookActsProps) {
  const ids = { tenantId, webhookId: webhook.id };
  return (
    <>
      <RotateSecret
        onRotate={async (overlap_hours) => {
          return (await call('POST /webhooks/{webhookId}/rotate-secret', ids, { overlap_hours })).signing_secret;
        }}
      />
      <Link
        from="/$tenantId/webhooks/$webhookId"
        to="/$tenantId/webhooks/$webhookId/settings"
        className={buttonClass({ small: true })}
      >
        Change settings
      </Link>
      {webhook.active && <ActiveButton small tenantId={tenantId} webhook={webhook} />}
      <DeleteButton tenantId={tenantId} webhook={webhook} />
    </>
  );
}

/** Sets a webhook active or inactive. */
export function ActiveButton({ tenantId, webhook, small = false }: WebhookActsProps & { small?: boolean }) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const active = !webhook.active;
  const change = async () => {
    const ids = { tenantId, webhookId: webhook.id };
    await call('PATCH /webhooks/{webhookId}', ids, { active });
    notify(active ? 'The webhook is active.' : 'The webhook is inactive.');
    await client.invalidateQueries({ queryKey: ['webhooks', tenantId] });
  };
  return (
    <>
      <Button small={small} onClick={() => setAsked(true)}>
        {active ? 'Activate…' : 'Deactivate…'}
      </Button>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title={`${active ? 'Activate' : 'Deactivate'} ${hostOf(webhook.callback_url)}?`}
        action={active ? 'Activate' : 'Deactivate'}
        danger={!active}
        onConfirm={change}
      >
        <p>
          {active
            ? 'Deliveries that were waiting are sent, and so are events that occur from now on. To send the events of the time between, replay it afterwards.'
            : 'Waiting deliveries stay and are sent when it is active again. Events that occur meanwhile are not kept for it; a replay can send them.'}
        </p>
      </ConfirmDialog>
    </>
  );
}

function DeleteButton({ tenantId, webhook }: WebhookActsProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const host = hostOf(webhook.callback_url);
  const remove = async () => {
    const ids = { tenantId, webhookId: webhook.id };
    await call('DELETE /webhooks/{webhookId}', ids);
    notify('The webhook is deleted.');
    await navigate({ to: '/$tenantId/webhooks', params: { tenantId } });
    // It no longer exists, so reading it again would fail.
    client.removeQueries({ queryKey: ['webhooks', tenantId, webhook.id] });
    await client.invalidateQueries({ queryKey: ['webhooks', tenantId], exact: true });
  };
  return (
    <>
      <Button small onClick={() => setAsked(true)}>
        Delete…
      </Button>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title={`Delete the webhook of ${host}?`}
        action="Delete"
        danger
        typed={host}
        onConfirm={remove}
      >
        <p>Its deliveries are deleted too, and waiting ones are not sent. This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
