import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorState, Loading } from '../components/page';
import states from '../components/states.module.css';
import { Ago } from '../components/values';
import { useStore } from '../data/store';
import { linkQuery, openKey } from './api';
import { usePlace } from './navigation';
import { DeliveryPage, WebhookList, WebhookPage } from './pages';
import styles from './portal.module.css';

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

/** Shown without a key, and when the link has expired or was revoked. */
function Expired() {
  useEffect(() => {
    document.title = 'Link expired';
  }, []);
  return (
    <div className={styles.expired}>
      <div className={states.state}>
        <h1 className={states.title}>This link has expired</h1>
        <p className={states.text}>
          Links to this page are valid for a short time. Go back to the product that sent you here, and open the page
          from there again.
        </p>
      </div>
    </div>
  );
}

/** When the page will need a new link. */
function Expiry({ at }: { at: string }) {
  return (
    <p className={styles.expiry}>
      This link expires <Ago at={at} />
    </p>
  );
}
