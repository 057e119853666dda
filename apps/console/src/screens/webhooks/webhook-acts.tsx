import type { WebhookDetails } from '@idsync/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { buttonClass } from '../../components/button';
import { ConfirmButton } from '../../components/confirm-dialog';
import { hostOf } from '../../components/describe-webhook';
import { RotateSecret } from '../../components/rotate-secret';
import { TenantLink, useOpenPath } from '../../components/tenant-link';
import { call } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';

interface WebhookActsProps {
  webhook: WebhookDetails;
}

/** Rotates the secret of a webhook, changes its settings, deactivates and deletes it. */
export function WebhookActs({ webhook }: WebhookActsProps) {
  const tenantId = useTenantId();
  const { id: webhookId, active, callback_url } = webhook;
  const ids = { tenantId, webhookId };
  const client = useQueryClient();
  const openPath = useOpenPath();
  const host = hostOf(callback_url);
  const remove = async () => {
    await call('DELETE /webhooks/{webhookId}', ids);
    await openPath('/webhooks');
    // It no longer exists, so reading it again would fail.
    client.removeQueries({ queryKey: ['webhooks', tenantId, webhookId] });
    await client.invalidateQueries({ queryKey: ['webhooks', tenantId], exact: true });
  };
  return (
    <>
      <RotateSecret
        onRotate={async (overlap_hours) =>
          (await call('POST /webhooks/{webhookId}/rotate-secret', ids, { overlap_hours })).signing_secret
        }
      />
      <TenantLink path={`/webhooks/${webhookId}/settings`} className={buttonClass({ small: true })}>
        Change settings
      </TenantLink>
      {active && <ActiveButton small webhook={webhook} />}
      <ConfirmButton
        label="Delete…"
        small
        title={`Delete the webhook of ${host}?`}
        action="Delete"
        danger
        typed={host}
        done="The webhook is deleted."
        onConfirm={remove}
      >
        <p>Its deliveries are deleted too, and waiting ones are not sent. This cannot be undone.</p>
      </ConfirmButton>
    </>
  );
}

/** Sets a webhook active or inactive. */
export function ActiveButton({ webhook, small }: WebhookActsProps & { small?: boolean }) {
  const tenantId = useTenantId();
  const active = !webhook.active;
  const action = active ? 'Activate' : 'Deactivate';
  return (
    <ConfirmButton
      label={`${action}…`}
      small={small}
      title={`${action} ${hostOf(webhook.callback_url)}?`}
      action={action}
      danger={!active}
      done={active ? 'The webhook is active.' : 'The webhook is inactive.'}
      refresh={['webhooks', tenantId]}
      onConfirm={() => call('PATCH /webhooks/{webhookId}', { tenantId, webhookId: webhook.id }, { active })}
    >
      <p>
        {active
          ? 'Deliveries that were waiting are sent, and so are events that occur from now on. To send the events of the time between, replay it afterwards.'
          : 'Waiting deliveries stay and are sent when it is active again. Events that occur meanwhile are not kept for it; a replay can send them.'}
      </p>
    </ConfirmButton>
  );
}
