import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { hostOf } from '../../components/describe-webhook';
import { subjectPath } from '../../components/id-targets';
import { BodyView, JsonView } from '../../components/json-view';
import { IdLink, TenantLink } from '../../components/links';
import { EmptyState, ErrorState, Loading, Section } from '../../components/page';
import { Screen } from '../../components/screen';
import { type Change, Facts, FieldDiff, IdAndAge, StatusBadge, Time } from '../../components/values';
import { read } from '../../data/api';
import { useSourceName, webhooksQuery } from '../../data/queries';
import styles from './event-screen.module.css';

const route = getRouteApi('/signed-in/$tenantId/events/$eventId');

/** One event: its changes, its deliveries, and its body as subscribers receive it. */
export function EventScreen() {
  const { tenantId, eventId } = route.useParams();
  const { data: event, error, refetch } = useQuery(read('event', 'GET /events/{eventId}', { tenantId, eventId }));
  const { data: webhooks } = useQuery(webhooksQuery(tenantId));
  const sourceName = useSourceName();
  if (!event) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const { details, deliveries, identity_id: identityId, job_id: jobId } = event;
  const { changes = [], job_id: _, ...rest } = details as { changes?: Change[] } & Record<string, unknown>;
  const path = event.subject_id && subjectPath(event.subject_id, identityId);
  const hostOfWebhook = (id: string) => hostOf(webhooks?.data.find((webhook) => webhook.id === id)?.callback_url ?? id);
  return (
    <Screen
      title={event.event_type}
      description={<IdAndAge id={event.id} verb="occurred" at={event.occurred_at} />}
      api={`/events/${eventId}`}
      cli={`idsync events show ${eventId}`}
      json={event}
    >
      <Section title="Event">
        <Facts
          items={[
            ['Person or machine', identityId && <IdLink id={identityId}>{event.name ?? identityId}</IdLink>],
            [
              'Subject',
              event.subject_id && event.subject_id !== identityId && (
                <TenantLink path={path || undefined}>{event.subject_id}</TenantLink>
              ),
            ],
            ['Run', jobId && <IdLink id={jobId}>{event.connector_id ? sourceName(event.connector_id) : jobId}</IdLink>],
            ['Occurred', <Time key="at" at={event.occurred_at} />],
            ['Sequence', event.sequence],
            [
              'More',
              <TenantLink key="type" path={`/events?types=${event.event_type}`}>
                all of this type
              </TenantLink>,
            ],
          ]}
        />
      </Section>
      <Section title="Deliveries" flush>
        {deliveries.length === 0 ? (
          <EmptyState title="No delivery">
            No webhook subscribes to this event, its filter left the event out, or the deliveries are no longer kept.
          </EmptyState>
        ) : (
          <ul>
            {deliveries.map(({ id, webhook_id, status }) => (
              <li key={id} className={styles.delivery}>
                <IdLink id={id} className={styles.link}>
                  {hostOfWebhook(webhook_id)}
                </IdLink>
                <StatusBadge status={status} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      {changes.length > 0 && (
        <Section title="Changes">
          <FieldDiff
            changes={changes.map(({ source, ...change }) => ({
              ...change,
              ...(source && { source: sourceName(source) }),
            }))}
          />
        </Section>
      )}
      {Object.keys(rest).length > 0 && (
        <Section title="Details">
          <JsonView value={rest} label="Details of the event" />
        </Section>
      )}
      {event.body !== undefined && (
        <Section title="Body, as subscribers receive it">
          <BodyView label="Body" body={event.body} />
        </Section>
      )}
    </Screen>
  );
}
