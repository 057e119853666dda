import type { WebhookDetails } from '@idsync/client/operator';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../components/button';
import { DeliveriesTable, DeliveryFilters } from '../../components/deliveries-table';
import { healthOf, hostOf } from '../../components/describe-webhook';
import { ConfirmButton, FormButton } from '../../components/dialog';
import { SelectField } from '../../components/fields';
import { IdLink, TenantLink, useOpenPath } from '../../components/links';
import { NotLoaded, Screen } from '../../components/screen';
import { IdAndAge, StatusBadge, Time } from '../../components/values';
import { RotateSecret, SendActions } from '../../components/webhook-actions';
import { WebhookOverview } from '../../components/webhook-overview';
import { call, type PortalLink, useFilters, useTenantId } from '../../data/api';
import { webhookQuery } from '../../data/queries';
import { cursorPages, live } from '../../data/query-client';
import type { DeliverySearch } from '../../data/searches';
import { useMay } from '../../data/session';
import { ReplayButton, Replays } from './replays';

const route = getRouteApi('/signed-in/$tenantId/webhooks/$webhookId');

export function WebhookScreen() {
  const ids = route.useParams();
  const { tenantId, webhookId } = ids;
  const [filters, setFilters] = useFilters<DeliverySearch>();
  const query = useQuery(webhookQuery(tenantId, webhookId));
  const shown = { webhook_id: webhookId, status: filters.status, event_type: filters.type };
  const deliveries = useInfiniteQuery({
    ...cursorPages(['deliveries', tenantId, shown], (cursor) =>
      call('GET /deliveries', { tenantId }, { ...shown, limit: 50, cursor }),
    ),
    ...live,
  });
  const client = useQueryClient();
  const maySend = useMay('operator');
  const mayChange = useMay('admin');
  const webhook = query.data;
  if (!webhook) return <NotLoaded query={query} />;
  const { tone, word } = healthOf(webhook);
  const refresh = () =>
    Promise.all(
      ['webhooks', 'deliveries', 'replays'].map((key) => client.invalidateQueries({ queryKey: [key, tenantId] })),
    );
  return (
    <Screen
      title={hostOf(webhook.callback_url)}
      beside={<StatusBadge tone={tone}>{word}</StatusBadge>}
      description={<IdAndAge id={webhook.id} verb="created" at={webhook.created_at} />}
      api={`/webhooks/${webhookId}`}
      cli={`idsync webhooks show ${webhookId}`}
      json={webhook}
      actions={
        <>
          <PortalLinkButton webhookId={webhookId} />
          {mayChange && !webhook.active && <ActiveButton webhook={webhook} />}
          {maySend && webhook.active && (
            <>
              <ReplayButton webhook={webhook} refresh={refresh} />
              <SendActions
                dead={webhook.dead}
                receiver="a receiver"
                onTest={() => call('POST /webhooks/{webhookId}/test', ids, { message: 'This is a test.' })}
                onRequeue={() => call('POST /webhooks/{webhookId}/requeue', ids, { by: 'operator' })}
                refresh={refresh}
              />
            </>
          )}
        </>
      }
    >
      <WebhookOverview webhook={webhook} actions={mayChange && <WebhookActs webhook={webhook} />} />
      <Replays webhookId={webhookId} />
      <DeliveryFilters {...filters} onChange={setFilters} />
      <DeliveriesTable query={deliveries} linkOf={({ id }, props) => <IdLink id={id} {...props} />} />
    </Screen>
  );
}

interface WebhookActsProps {
  webhook: WebhookDetails;
}

/** Rotates the secret of a webhook, changes its settings, deactivates and deletes it. */
function WebhookActs({ webhook }: WebhookActsProps) {
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
function ActiveButton({ webhook, small }: WebhookActsProps & { small?: boolean }) {
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

type Access = PortalLink['access'];

const accesses: readonly { value: Access; label: string }[] = [
  { value: 'read', label: 'See health, deliveries and attempts' },
  { value: 'send', label: 'Also test, resend and requeue' },
  { value: 'change', label: 'Also change settings and the signing secret' },
];
const durations = [
  { value: '3600', label: '1 hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: '24 hours' },
];
const title = 'Link for the subscriber';

/** Creates a link with which the subscriber sees this webhook in the portal. */
function PortalLinkButton({ webhookId }: { webhookId: string }) {
  const tenantId = useTenantId();
  const [access, setAccess] = useState<Access>('read');
  const [seconds, setSeconds] = useState('3600');
  if (!useMay('admin')) return null;
  const create = async () => {
    const body = { webhook_ids: [webhookId], access, expires_in: Number(seconds) };
    const { url, expires_at } = await call('POST /portal-links', { tenantId }, body);
    return {
      title,
      secrets: [{ label: 'Link', value: url, hint: 'Copy it now: it is not shown again.' }],
      children: (
        <p>
          It expires at <Time at={expires_at} />.
        </p>
      ),
    };
  };
  return (
    <FormButton label="Portal link…" title={title} action="Create link" onSubmit={create}>
      <p>The holder of the link sees this webhook and the bodies of its deliveries, without signing in.</p>
      <SelectField
        label="The subscriber may"
        choices={accesses}
        value={access}
        onChange={(value) => setAccess(value as Access)}
      />
      <SelectField label="Valid for" choices={durations} value={seconds} onChange={setSeconds} />
    </FormButton>
  );
}
