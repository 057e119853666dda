import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { hostOf } from '../../components/describe-webhook';
import { IdChip } from '../../components/id-chip';
import { notify } from '../../components/notices';
import { NotLoaded, Screen } from '../../components/screen';
import { EmptyState } from '../../components/states';
import { TenantLink, useOpenPath } from '../../components/tenant-link';
import { patchBody, type WebhookInput, webhookInputOf } from '../../components/webhook-input';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { WebhookForm } from './webhook-form';
import { webhookQuery } from './webhook-queries';

const route = getRouteApi('/signed-in/$tenantId/webhooks/$webhookId/settings');

/** Changes the settings of a webhook. */
export function WebhookSettingsScreen() {
  const { tenantId, webhookId } = route.useParams();
  const openPath = useOpenPath();
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const query = useQuery(webhookQuery(tenantId, webhookId));
  const webhook = query.data;
  if (!webhook) return <NotLoaded query={query} />;
  const save = async (input: WebhookInput) => {
    await call('PATCH /webhooks/{webhookId}', { tenantId, webhookId }, patchBody(input));
    notify('The settings are saved.');
    await client.invalidateQueries({ queryKey: ['webhooks', tenantId] });
    await openPath(`/webhooks/${webhookId}`);
  };
  return (
    <Screen
      title={`Settings of ${hostOf(webhook.callback_url)}`}
      description={<IdChip id={webhook.id} />}
      api={`/webhooks/${webhookId}`}
      cli={`idsync webhooks update ${webhookId}`}
      json={webhook}
    >
      {mayChange ? (
        <WebhookForm
          initial={webhookInputOf(webhook)}
          headerNames={webhook.header_names}
          action="Save"
          cancel={
            <TenantLink path={`/webhooks/${webhookId}`} className={buttonClass()}>
              Cancel
            </TenantLink>
          }
          onSubmit={save}
        />
      ) : (
        <EmptyState title="Your role does not allow this">Only administrators change webhooks.</EmptyState>
      )}
    </Screen>
  );
}
