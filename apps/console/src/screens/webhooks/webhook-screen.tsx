import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { DeliveriesTable } from '../../components/deliveries-table';
import { DeliveryFilters, type DeliverySearch } from '../../components/delivery-filters';
import { healthOf, hostOf } from '../../components/describe-webhook';
import { IdAndAge } from '../../components/id-chip';
import { NotLoaded, Screen } from '../../components/screen';
import { SendActions } from '../../components/send-actions';
import { StatusBadge } from '../../components/status-badge';
import { IdLink } from '../../components/tenant-link';
import { WebhookOverview } from '../../components/webhook-overview';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { useFilters } from '../../data/use-tenant';
import { PortalLinkButton } from './portal-link';
import { ReplayButton } from './replay-dialog';
import { Replays } from './replays';
import { ActiveButton, WebhookActs } from './webhook-acts';
import { deliveriesQuery, webhookQuery } from './webhook-queries';

const route = getRouteApi('/signed-in/$tenantId/webhooks/$webhookId');

export function WebhookScreen() {
  const ids = route.useParams();
  const { tenantId, webhookId } = ids;
  const [filters, setFilters] = useFilters<DeliverySearch>();
  const query = useQuery(webhookQuery(tenantId, webhookId));
  const deliveries = useInfiniteQuery(
    deliveriesQuery(tenantId, { webhook_id: webhookId, status: filters.status, event_type: filters.type }),
  );
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
