import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../components/button';
import { IssuedDialog } from '../../components/form-dialog';
import { Page } from '../../components/page';
import { Screen } from '../../components/screen';
import { EmptyState } from '../../components/states';
import { TenantLink, useOpenPath } from '../../components/tenant-link';
import { createBody, newWebhook, type WebhookInput } from '../../components/webhook-input';
import { useMay } from '../../data/access';
import { type Answer, call } from '../../data/api';
import { WebhookForm } from './webhook-form';

const route = getRouteApi('/signed-in/$tenantId/webhooks/new');

/** Creates a webhook, and shows its signing secret once. */
export function NewWebhookScreen() {
  const { tenantId } = route.useParams();
  const openPath = useOpenPath();
  const client = useQueryClient();
  const [created, setCreated] = useState<Answer<'POST /webhooks'>>();
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
    <Screen
      title="New webhook"
      description="Sends signed events to an address, from now on."
      api="/webhooks"
      cli="idsync webhooks create https://receiver.example.com/hook --events 'user.*'"
    >
      <WebhookForm
        initial={newWebhook}
        action="Create webhook"
        cancel={
          <TenantLink path="/webhooks" className={buttonClass()}>
            Cancel
          </TenantLink>
        }
        onSubmit={create}
      />
      {created && (
        <IssuedDialog
          title="The webhook is created"
          secrets={[
            {
              label: 'Signing secret',
              value: created.signing_secret,
              hint: 'Shown this once. The receiver verifies each request with it.',
            },
          ]}
          onClose={() => openPath(`/webhooks/${created.id}`)}
        />
      )}
    </Screen>
  );
}
