import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { Page } from '../../components/page';
import { SecretDialog } from '../../components/secret-dialog';
import { EmptyState } from '../../components/states';
import { createBody, newWebhook, type WebhookInput } from '../../components/webhook-input';
import { useMay } from '../../data/access';
import { call, type operations } from '../../data/api';
import { WebhookForm } from './webhook-form';

const route = getRouteApi('/signed-in/$tenantId/webhooks/new');

type CreatedWebhook = operations['adminCreateWebhook']['responses'][201]['content']['application/json'];

/** Creates a webhook, and shows its signing secret once. */
export function NewWebhookScreen() {
  const { tenantId } = route.useParams();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [created, setCreated] = useState<CreatedWebhook>();
  if (!useMay('admin'))
    return (
      <Page title="New webhook">
        <EmptyState title="Your role does not allow this">Only administrators create webhooks.</EmptyState>
      </Page>
    );
  const create = async (input: WebhookInput) => {
    setCreated(await call('POST /webhooks', { tenantId }, createBody(input)));
    await client.invalidateQueries({ queryKey: ['webhooks', tenantId] });
  };
  return (
    <Page
      title="New webhook"
      description="Sends signed events to an address, from now on."
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/webhooks`}
          cli="idsync webhooks create https://receiver.example.com/hook --events 'user.*'"
        />
      }
    >
      <WebhookForm
        initial={newWebhook}
        action="Create webhook"
        cancel={
          <Link from="/$tenantId/webhooks/new" to="/$tenantId/webhooks" className={buttonClass()}>
            Cancel
          </Link>
        }
        onSubmit={create}
      />
      {created && (
        <SecretDialog
          title="The webhook is created"
          secrets={[
            {
              label: 'Signing secret',
              value: created.signing_secret,
              hint: 'Shown this once. The receiver verifies each request with it.',
            },
          ]}
          onClose={() =>
            navigate({ to: '/$tenantId/webhooks/$webhookId', params: { tenantId, webhookId: created.id } })
          }
        />
      )}
    </Page>
  );
}
