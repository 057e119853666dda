import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { DeliveriesTable } from '../../components/deliveries-table';
import { DeliveryFilters } from '../../components/delivery-filters';
import { healthOf, hostOf } from '../../components/describe-webhook';
import { IdChip } from '../../components/id-chip';
import { Page, Section } from '../../components/page';
import { SendActions } from '../../components/send-actions';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { WebhookOverview } from '../../components/webhook-overview';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { itemsOf } from '../../data/pages';
import { PortalLinkButton } from './portal-link';
import { ReplayButton } from './replay-dialog';
import { Replays } from './replays';
import { ActiveButton, WebhookActs } from './webhook-acts';
import { deliveriesQuery, webhookQuery } from './webhook-queries';

const route = getRouteApi('/signed-in/$tenantId/webhooks/$webhookId');

export function WebhookScreen() {
  const { tenantId, webhookId } = route.useParams();
  const { status, type } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(tenantId, webhookId));
  const deliveries = useInfiniteQuery(
    deliveriesQuery(tenantId, { webhook_id: webhookId, status, ...(type && { event_type: type }) }),
  );
  const client = useQueryClient();
  const maySend = useMay('operator');
  const mayChange = useMay('admin');
  if (!webhook) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const { tone, word } = healthOf(webhook);
  const ids = { tenantId, webhookId };
  const refresh = () =>
    Promise.all(
      ['webhooks', 'deliveries', 'replays'].map((key) => client.invalidateQueries({ queryKey: [key, tenantId] })),
    );
  return (
    <Page
      title={hostOf(webhook.callback_url)}
      beside={<StatusBadge tone={tone}>{word}</StatusBadge>}
      description={
        <>
          <IdChip id={webhook.id} />
          <span>
            created <Ago at={webhook.created_at} />
          </span>
        </>
      }
      actions={
        <>
          <CopyAs
            path={`/admin/v1/tenants/${tenantId}/webhooks/${webhookId}`}
            cli={`idsync webhooks show ${webhookId}`}
            json={webhook}
          />
          <PortalLinkButton tenantId={tenantId} webhookId={webhookId} />
          {mayChange && !webhook.active && <ActiveButton tenantId={tenantId} webhook={webhook} />}
          {maySend && webhook.active && <ReplayButton tenantId={tenantId} webhook={webhook} refresh={refresh} />}
          {maySend && webhook.active && (
            <SendActions
              dead={webhook.dead}
              receiver="a receiver"
              onTest={() => call('POST /webhooks/{webhookId}/test', ids, { message: 'This is a test.' })}
              onRequeue={() => call('POST /webhooks/{webhookId}/requeue', ids, { by: 'operator' })}
              refresh={refresh}
            />
          )}
        </>
      }
    >
      <WebhookOverview webhook={webhook} actions={mayChange && <WebhookActs tenantId={tenantId} webhook={webhook} />} />
      <Replays tenantId={tenantId} webhookId={webhookId} />
      <DeliveryFilters
        status={status}
        type={type}
        onChange={(changed) => navigate({ search: (old) => ({ ...old, ...changed }), replace: true })}
      />
      <Section title="Deliveries" flush>
        <DeliveriesTable
          rows={itemsOf(deliveries.data)}
          query={deliveries}
          linkOf={({ id }, props) => (
            <Link
              from="/$tenantId/webhooks/$webhookId"
              to="/$tenantId/deliveries/$deliveryId"
              params={{ deliveryId: id }}
              {...props}
            />
          )}
        />
      </Section>
    </Page>
  );
}
