import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { DeliveriesTable, DeliveryFilters } from '../../components/deliveries-table';
import { healthOf, hostOf } from '../../components/describe-webhook';
import { IdLink } from '../../components/links';
import { NotLoaded, Screen } from '../../components/screen';
import { IdAndAge, StatusBadge } from '../../components/values';
import { SendActions } from '../../components/webhook-actions';
import { WebhookOverview } from '../../components/webhook-overview';
import { call, useFilters } from '../../data/api';
import { webhookQuery } from '../../data/queries';
import { cursorPages, live } from '../../data/query-client';
import type { DeliverySearch } from '../../data/searches';
import { useMay } from '../../data/session';
import { ReplayButton, Replays } from './replays';
import { ActiveButton, PortalLinkButton, WebhookActs } from './webhook-acts';

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
