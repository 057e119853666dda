import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { buttonClass } from '../../components/button';
import { hostOf } from '../../components/describe-webhook';
import { IssuedDialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { TenantLink, useOpenPath } from '../../components/links';
import { notify } from '../../components/notices';
import { EmptyState, Page, Section } from '../../components/page';
import { NotLoaded, Screen } from '../../components/screen';
import { IdChip } from '../../components/values';
import { WebhookFields } from '../../components/webhook-fields';
import { createBody, newWebhook, patchBody, type WebhookInput, webhookInputOf } from '../../components/webhook-input';
import { type Answer, call, useTenantId } from '../../data/api';
import { webhookQuery } from '../../data/queries';
import { useMay } from '../../data/session';
import styles from './webhook-settings-screen.module.css';

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

/** Creates a webhook, and shows its signing secret once. */
export function NewWebhookScreen() {
  const tenantId = useTenantId();
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

interface WebhookFormProps {
  initial: WebhookInput;
  headerNames?: readonly string[];
  action: string;
  /** A link that leaves the form. */
  cancel: ReactNode;
  onSubmit: (input: WebhookInput) => Promise<unknown>;
}

function WebhookForm({ initial, headerNames, action, cancel, onSubmit }: WebhookFormProps) {
  const [input, setInput] = useState(initial);
  return (
    <Section title="Settings" untitled>
      <Form
        className={styles.form}
        action={action}
        isReady={input.address.trim() !== '' && input.events.length > 0}
        cancel={cancel}
        onSubmit={() => onSubmit(input)}
      >
        <WebhookFields
          input={input}
          headerNames={headerNames}
          onChange={(changed) => setInput((old) => ({ ...old, ...changed }))}
        />
      </Form>
    </Section>
  );
}
