import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { Facts } from '../../components/facts';
import { FilterBar, SearchField, SelectFilter } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { IdChip } from '../../components/id-chip';
import { Page, Section } from '../../components/page';
import { StatTile, StatTiles } from '../../components/stat-tile';
import { ErrorState, Loading } from '../../components/states';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Ago, Time } from '../../components/time';
import { itemsOf } from '../../data/pages';
import { DeliveriesTable } from './deliveries-table';
import { deliveryStatuses } from './delivery-statuses';
import { healthOf, hostOf } from './describe-webhook';
import { WebhookActions } from './webhook-actions';
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
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!webhook) return <Loading />;
  const { tone, word, reason } = healthOf(webhook);
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
          <WebhookActions tenantId={tenantId} webhook={webhook} />
        </>
      }
    >
      <StatTiles>
        <StatTile label="Pending" value={formatCount(webhook.pending.count, !webhook.pending.exact)} />
        <StatTile
          label="Dead"
          value={formatCount(webhook.dead.count, !webhook.dead.exact)}
          tone={webhook.dead.count > 0 ? 'bad' : undefined}
        />
        <StatTile label="Last success" value={webhook.last_success_at ? <Ago at={webhook.last_success_at} /> : '—'} />
        <StatTile
          label="Last failure"
          value={webhook.last_failure_at ? <Ago at={webhook.last_failure_at} /> : '—'}
          about={webhook.failures > 0 ? `${formatCount(webhook.failures)} since the last success` : undefined}
        />
      </StatTiles>
      <Section title="Endpoint">
        <Facts
          items={[
            ['State', reason],
            ['Address', webhook.callback_url],
            ['Events', webhook.events.join(', ')],
            ['Filter', webhook.filter && <code>{JSON.stringify(webhook.filter)}</code>],
            ['Payload', webhook.payload === 'thin' ? 'Thin: ids only' : undefined],
            ['Additional headers', webhook.header_names?.join(', ')],
            ['Switched off', webhook.disabled_at && <Time at={webhook.disabled_at} />],
            ['Breaker', webhook.breaker.state === 'closed' ? undefined : wordsOf(webhook.breaker.state)],
          ]}
        />
      </Section>
      <FilterBar>
        <SelectFilter
          label="Deliveries"
          any="Any"
          value={status}
          choices={deliveryStatuses.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(chosen) =>
            navigate({ search: (old) => ({ ...old, status: chosen as typeof status }), replace: true })
          }
        />
        <SearchField
          label="Event type"
          placeholder="Event type, such as identity.updated"
          value={type ?? ''}
          onChange={(text) => navigate({ search: (old) => ({ ...old, type: text || undefined }), replace: true })}
        />
      </FilterBar>
      <Section title="Deliveries" flush>
        <DeliveriesTable rows={itemsOf(deliveries.data)} query={deliveries} />
      </Section>
    </Page>
  );
}
