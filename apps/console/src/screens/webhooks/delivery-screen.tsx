import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Button } from '../../components/button';
import { CodeBlock } from '../../components/code-block';
import { CopyAs } from '../../components/copy-as';
import { Facts } from '../../components/facts';
import { IdChip } from '../../components/id-chip';
import { notify } from '../../components/notices';
import { Page, Section } from '../../components/page';
import { readableBody } from '../../components/readable-body';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago, Time } from '../../components/time';
import { useMay } from '../../data/access';
import { answerOf, api } from '../../data/api';
import { Attempt } from './attempt';
import { deliveryQuery } from './webhook-queries';

const route = getRouteApi('/signed-in/$tenantId/deliveries/$deliveryId');

export function DeliveryScreen() {
  const { tenantId, deliveryId } = route.useParams();
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(tenantId, deliveryId));
  const client = useQueryClient();
  const mayResend = useMay('operator');
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!delivery) return <Loading />;
  const resend = async () => {
    try {
      await answerOf(
        api.POST('/admin/v1/tenants/{tenantId}/deliveries/{deliveryId}/resend', {
          params: { path: { tenantId, deliveryId } },
          body: { by: 'operator' },
        }),
      );
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
      <Section title="Delivery">
        <Facts
          items={[
            [
              'Webhook',
              <Link
                key="webhook"
                from="/$tenantId/deliveries/$deliveryId"
                to="/$tenantId/webhooks/$webhookId"
                params={{ webhookId: delivery.webhook_id }}
              >
                {delivery.webhook_id}
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
                  {delivery.event_id}
                </Link>
              ),
            ],
            ['Sequence', delivery.sequence],
            ['Occurred', delivery.occurred_at && <Time at={delivery.occurred_at} />],
            ['Next attempt', delivery.status === 'pending' && delivery.due_at && <Time at={delivery.due_at} />],
            ['Last error', delivery.last_error],
          ]}
        />
      </Section>
      <Section title={`Attempts (${delivery.attempts.length})`} flush>
        {delivery.attempts.length === 0 ? (
          <EmptyState title="Not sent yet" />
        ) : (
          delivery.attempts.toReversed().map((attempt) => <Attempt key={attempt.number} attempt={attempt} />)
        )}
      </Section>
      <Section title="Signed body, as sent">
        {delivery.body === undefined ? (
          <EmptyState title="Not kept">The event is no longer kept, or your token may not read it.</EmptyState>
        ) : (
          <CodeBlock label="Body" text={readableBody(delivery.body)} raw={delivery.body} />
        )}
      </Section>
    </Page>
  );
}
