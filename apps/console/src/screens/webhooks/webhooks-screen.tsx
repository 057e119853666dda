import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { Icon } from '../../components/icon';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { WebhooksTable } from '../../components/webhooks-table';
import { useMay } from '../../data/access';
import { webhooksQuery } from '../../data/webhooks';

const route = getRouteApi('/signed-in/$tenantId/webhooks');

export function WebhooksScreen() {
  const { tenantId } = route.useParams();
  const query = useQuery(webhooksQuery(tenantId));
  const add = useMay('admin') && (
    <Link from="/$tenantId/webhooks" to="/$tenantId/webhooks/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" />
      New webhook
    </Link>
  );
  return (
    <Page
      title="Webhooks"
      description="Endpoints of subscribers that receive signed events."
      actions={
        <>
          <CopyAs path={`/admin/v1/tenants/${tenantId}/webhooks`} cli="idsync webhooks list" json={query.data} />
          {add}
        </>
      }
    >
      <Section title="Webhooks" untitled flush>
        <WebhooksTable
          isConsole
          rows={(query.data?.data ?? []).map((webhook) => ({ ...webhook, health: webhook }))}
          query={query}
          linkOf={(webhookId, props) => (
            <Link from="/$tenantId/webhooks" to="/$tenantId/webhooks/$webhookId" params={{ webhookId }} {...props} />
          )}
          empty={
            <EmptyState title="No webhook yet" action={add}>
              A webhook sends signed events to an address. A subscriber creates its own with its API key.
            </EmptyState>
          }
        />
      </Section>
    </Page>
  );
}
