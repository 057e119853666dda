import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DeliveryView } from '../components/delivery-view';
import { SendButton } from '../components/form';
import { notify } from '../components/notices';
import { ErrorState, Loading, Page } from '../components/page';
import { IdAndAge, IdChip, StatusBadge } from '../components/values';
import { call, deliveryQuery, maySend, type Rights } from './api';
import { PlaceLink } from './navigation';
import styles from './portal.module.css';

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
