import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { DeliveryView } from '../../components/delivery-view';
import { SendButton } from '../../components/form';
import { IdLink } from '../../components/links';
import { notify } from '../../components/notices';
import { NotLoaded, Screen } from '../../components/screen';
import { IdAndAge, StatusBadge, shortId } from '../../components/values';
import { call, read } from '../../data/api';
import { live } from '../../data/query-client';
import { useMay } from '../../data/session';

const route = getRouteApi('/signed-in/$tenantId/deliveries/$deliveryId');

export function DeliveryScreen() {
  const ids = route.useParams();
  const query = useQuery({ ...read('delivery', 'GET /deliveries/{deliveryId}', ids), ...live });
  const client = useQueryClient();
  const mayResend = useMay('operator');
  const delivery = query.data;
  if (!delivery) return <NotLoaded query={query} />;
  const { id, webhook_id, event_id } = delivery;
  const resend = async () => {
    await call('POST /deliveries/{deliveryId}/resend', ids, { by: 'operator' });
    notify('It is sent again now.');
    await client.invalidateQueries({ queryKey: ['delivery', ids.tenantId, ids.deliveryId] });
  };
  return (
    <Screen
      title={delivery.event_type}
      beside={<StatusBadge status={delivery.status} />}
      description={<IdAndAge id={id} verb="created" at={delivery.created_at} />}
      api={`/deliveries/${id}`}
      cli={`idsync deliveries show ${id}`}
      json={delivery}
      actions={mayResend && <SendButton onSend={resend}>Send again</SendButton>}
    >
      <DeliveryView
        delivery={delivery}
        links={[
          [
            'Webhook',
            <IdLink key="webhook" id={webhook_id}>
              {shortId(webhook_id)}
            </IdLink>,
          ],
          [
            'Event',
            event_id && (
              <IdLink key="event" id={event_id}>
                {shortId(event_id)}
              </IdLink>
            ),
          ],
        ]}
        noBody="The event is no longer kept, or your token may not read it."
      />
    </Screen>
  );
}
