import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DeliveriesTable } from '../components/deliveries-table';
import { DeliveryFilters, type DeliverySearch } from '../components/delivery-filters';
import { healthOf, hostOf } from '../components/describe-webhook';
import { IdAndAge } from '../components/id-chip';
import { Page } from '../components/page';
import { RotateSecret } from '../components/rotate-secret';
import { SendActions } from '../components/send-actions';
import { ErrorState, Loading } from '../components/states';
import { StatusBadge } from '../components/status-badge';
import { WebhookOverview } from '../components/webhook-overview';
import { call } from './api';
import { PlaceLink } from './navigation';
import styles from './portal.module.css';
import { deliveriesQuery, webhookQuery } from './queries';
import { mayChange, maySend, type Rights } from './rights';
import { SettingsButton } from './settings-dialog';

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
