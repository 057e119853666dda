import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { hostOf } from '../../components/describe-webhook';
import { IdChip } from '../../components/id-chip';
import { notify } from '../../components/notices';
import { Page } from '../../components/page';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { patchBody, type WebhookInput, webhookInputOf } from '../../components/webhook-input';
import { useMay } from '../../data/access';
import { call } from '../../data/api';
import { WebhookForm } from './webhook-form';
import { webhookQuery } from './webhook-queries';

const route = getRouteApi('/signed-in/$tenantId/webhooks/$webhookId/settings');
const from = '/$tenantId/webhooks/$webhookId/settings';

/** Changes the settings of a webhook. */
export function WebhookSettingsScreen() {
  const { tenantId, webhookId } = route.useParams();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const { data: webhook, error, refetch } = useQuery(webhookQuery(tenantId, webhookId));
  if (!webhook) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const save = async (input: WebhookInput) => {
    await call('PATCH /webhooks/{webhookId}', { tenantId, webhookId }, patchBody(input));
    notify('The settings are saved.');
    await client.invalidateQueries({ queryKey: ['webhooks', tenantId] });
    await navigate({ to: '/$tenantId/webhooks/$webhookId', params: { tenantId, webhookId } });
  };
  return (
    <Page
      title={`Settings of ${hostOf(webhook.callback_url)}`}
      description={<IdChip id={webhook.id} />}
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/webhooks/${webhookId}`}
          cli={`idsync webhooks update ${webhookId}`}
          json={webhook}
        />
      }
    >
      {mayChange ? (
        <WebhookForm
          initial={webhookInputOf(webhook)}
          headerNames={webhook.header_names}
          action="Save"
          cancel={
            <Link from={from} to="/$tenantId/webhooks/$webhookId" className={buttonClass()}>
              Cancel
            </Link>
          }
          onSubmit={save}
        />
      ) : (
        <EmptyState title="Your role does not allow this">Only administrators change webhooks.</EmptyState>
      )}
    </Page>
  );
}
