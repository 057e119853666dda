import { useQuery } from '@tanstack/react-query';
import { ErrorState, Loading } from '../components/states';
import { useStore } from '../data/store';
import { openKey } from './api';
import { DeliveryPage } from './delivery-page';
import { Expired } from './expired';
import { Expiry } from './expiry';
import { usePlace } from './navigation';
import styles from './portal.module.css';
import { linkQuery } from './queries';
import { WebhookList } from './webhook-list';
import { WebhookPage } from './webhook-page';

/** The subscriber portal. */
export function Portal() {
  const key = useStore(openKey);
  return <main className={styles.portal}>{key === undefined ? <Expired /> : <Opened key={key} />}</main>;
}

function Opened() {
  const { data, error, refetch } = useQuery(linkQuery);
  const { webhookId, deliveryId } = usePlace();
  if (!data) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const { data: webhooks, portal } = data;
  if (!portal) return <Expired />;
  const only = webhooks.length === 1 ? webhooks[0]?.id : undefined;
  const shown = webhookId ?? only;
  return (
    <>
      {shown === undefined ? (
        <WebhookList webhooks={webhooks} />
      ) : deliveryId === undefined ? (
        <WebhookPage key={shown} id={shown} rights={portal} isOnly={only !== undefined} />
      ) : (
        <DeliveryPage key={deliveryId} id={shown} deliveryId={deliveryId} rights={portal} />
      )}
      <Expiry at={portal.expires_at} />
    </>
  );
}
