import type { ListedWebhook } from '@idsync/client/operator';
import { useQueries } from '@tanstack/react-query';
import { Page } from '../components/page';
import { EmptyState } from '../components/states';
import { WebhooksTable } from '../components/webhooks-table';
import { PlaceLink } from './navigation';
import { webhookQuery } from './queries';

/** Each webhook is a request of its own, with statistics that a list does not need. */
const everyMs = 60_000;

/** All webhooks of a link that shows several. */
export function WebhookList({ webhooks }: { webhooks: readonly ListedWebhook[] }) {
  const details = useQueries({
    queries: webhooks.map(({ id }) => ({ ...webhookQuery(id), refetchInterval: everyMs })),
  });
  return (
    <Page title="Webhooks" description="Your endpoints, and whether they receive their events.">
      <WebhooksTable
        rows={webhooks.map((webhook, index) => ({ ...webhook, health: details[index]?.data }))}
        linkOf={(id, props) => <PlaceLink place={{ webhookId: id }} {...props} />}
        empty={<EmptyState title="No webhook">The webhooks of this link were deleted.</EmptyState>}
      />
    </Page>
  );
}
