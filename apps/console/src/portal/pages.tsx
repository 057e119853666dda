import type { ListedWebhook, WebhookDetails } from '@idsync/client/operator';
import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DeliveriesTable, DeliveryFilters } from '../components/deliveries-table';
import { DeliveryView } from '../components/delivery-view';
import { healthOf, hostOf } from '../components/describe-webhook';
import { FormButton } from '../components/dialog';
import { CheckField } from '../components/fields';
import { SendButton } from '../components/form';
import { notify } from '../components/notices';
import { ErrorState, Loading, Page } from '../components/page';
import { IdAndAge, IdChip, StatusBadge } from '../components/values';
import { RotateSecret, SendActions } from '../components/webhook-actions';
import { WebhookFields } from '../components/webhook-fields';
import { patchBody, webhookInputOf } from '../components/webhook-input';
import { WebhookOverview } from '../components/webhook-overview';
import { WebhooksTable } from '../components/webhooks-table';
import type { DeliverySearch } from '../data/searches';
import { call, deliveriesQuery, deliveryQuery, mayChange, maySend, type Rights, webhookQuery } from './api';
import { PlaceLink } from './navigation';
import styles from './portal.module.css';

/** One webhook: its health, and its deliveries. */
export function WebhookPage({ id, rights, isOnly }: { id: string; rights: Rights; isOnly: boolean }) {
  const [filters, setFilters] = useState<DeliverySearch>({});
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id));
  const client = useQueryClient();
  const deliveries = useInfiniteQuery(deliveriesQuery(id, filters));
  if (!webhook) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const { tone, word } = healthOf(webhook);
  return (
    <Page
      title={hostOf(webhook.callback_url)}
      beside={<StatusBadge tone={tone}>{word}</StatusBadge>}
      description={
        <>
          {!isOnly && (
            <nav className={styles.crumbs} aria-label="Path">
              <PlaceLink place={{}}>Webhooks</PlaceLink>
              <span aria-hidden="true">/</span>
            </nav>
          )}
          <IdAndAge id={webhook.id} verb="created" at={webhook.created_at} />
        </>
      }
      actions={
        maySend(rights) &&
        webhook.active && (
          <SendActions
            dead={webhook.dead}
            receiver="your receiver"
            onTest={() => call('POST /{id}/test', { id }, {})}
            onRequeue={() => call('POST /{id}/requeue', { id }, {})}
            refresh={() => client.invalidateQueries()}
          />
        )
      }
    >
      <WebhookOverview
        webhook={webhook}
        actions={
          mayChange(rights) && (
            <>
              <RotateSecret
                onRotate={async (overlap_hours) =>
                  (await call('POST /{id}/rotate-secret', { id }, { overlap_hours })).signing_secret
                }
              />
              <SettingsButton webhook={webhook} />
            </>
          )
        }
      />
      <DeliveryFilters {...filters} onChange={(changed) => setFilters((old) => ({ ...old, ...changed }))} />
      <DeliveriesTable
        query={deliveries}
        linkOf={(delivery, props) => <PlaceLink place={{ webhookId: id, deliveryId: delivery.id }} {...props} />}
      />
    </Page>
  );
}

/** Each webhook is a separate request, with statistics that a list does not need. */
const everyMs = 60_000;

/** All webhooks of a link that shows several. */
export function WebhookList({ webhooks }: { webhooks: readonly ListedWebhook[] }) {
  const details = useQueries({
    queries: webhooks.map(({ id }) => ({ ...webhookQuery(id), refetchInterval: everyMs })),
  });
  return (
    <Page title="Webhooks" description="Your endpoints, and whether they receive their events.">
      <WebhooksTable
        rows={webhooks.map((webhook, index) => ({ ...webhook, health: details[index]?.data }))}
        linkOf={(id, props) => <PlaceLink place={{ webhookId: id }} {...props} />}
        empty={{ title: 'No webhook', text: 'The webhooks of this link were deleted.' }}
      />
    </Page>
  );
}

function SettingsButton({ webhook }: { webhook: WebhookDetails }) {
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

/** One delivery, and why it failed. */
export function DeliveryPage({ id, deliveryId, rights }: { id: string; deliveryId: string; rights: Rights }) {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(id, deliveryId));
  const client = useQueryClient();
  if (!delivery) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const resend = async () => {
    await call('POST /{id}/deliveries/{deliveryId}/resend', { id, deliveryId }, {});
    notify('It is sent again now.');
    await client.invalidateQueries();
  };
  return (
    <Page
      title={delivery.event_type}
      beside={<StatusBadge status={delivery.status} />}
      description={
        <>
          <nav className={styles.crumbs} aria-label="Path">
            <PlaceLink place={{ webhookId: id }}>Back to the webhook</PlaceLink>
          </nav>
          <IdAndAge id={delivery.id} verb="created" at={delivery.created_at} />
        </>
      }
      actions={
        maySend(rights) && (
          <SendButton look="primary" onSend={resend}>
            Send again
          </SendButton>
        )
      }
    >
      <DeliveryView
        delivery={delivery}
        links={[['Event', delivery.event_id && <IdChip key="event" id={delivery.event_id} />]]}
        noBody={
          rights.bodies
            ? 'The event is no longer kept.'
            : 'This link does not show the bodies of events. Your receiver gets them as usual.'
        }
      />
    </Page>
  );
}
