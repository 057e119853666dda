import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Button } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { DeliveryView } from '../../components/delivery-view';
import { IdChip, shortId } from '../../components/id-chip';
import { notify } from '../../components/notices';
import { Page } from '../../components/page';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { deliveryQuery } from './webhook-queries';

const route = getRouteApi('/signed-in/$tenantId/deliveries/$deliveryId');

export function DeliveryScreen() {
  const { tenantId, deliveryId } = route.useParams();
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(tenantId, deliveryId));
  const client = useQueryClient();
  const mayResend = useMay('operator');
  if (!delivery) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const resend = async () => {
    try {
      await call('POST /deliveries/{deliveryId}/resend', { tenantId, deliveryId }, { by: 'operator' });
      notify('It is sent again now.');
      await client.invalidateQueries({ queryKey: ['delivery', tenantId, deliveryId] });
    } catch (failure) {
      notify((failure as Error).message);
    }
  };
  return (
    <Page
      title={delivery.event_type}
      beside={<StatusBadge status={delivery.status} />}
      description={
        <>
          <IdChip id={delivery.id} />
          <span>
            created <Ago at={delivery.created_at} />
          </span>
        </>
      }
      actions={
        <>
          <CopyAs
            path={`/admin/v1/tenants/${tenantId}/deliveries/${deliveryId}`}
            cli={`idsync deliveries show ${deliveryId}`}
            json={delivery}
          />
          {mayResend && <Button onClick={resend}>Send again</Button>}
        </>
      }
    >
      <DeliveryView
        delivery={delivery}
        links={[
          [
            'Webhook',
            <Link
              key="webhook"
              from="/$tenantId/deliveries/$deliveryId"
              to="/$tenantId/webhooks/$webhookId"
              params={{ webhookId: delivery.webhook_id }}
            >
              {shortId(delivery.webhook_id)}
            </Link>,
          ],
          [
            'Event',
            delivery.event_id && (
              <Link
                key="event"
                from="/$tenantId/deliveries/$deliveryId"
                to="/$tenantId/events/$eventId"
                params={{ eventId: delivery.event_id }}
              >
                {shortId(delivery.event_id)}
              </Link>
            ),
          ],
        ]}
        noBody="The event is no longer kept, or your token may not read it."
      />
    </Page>
  );
}
