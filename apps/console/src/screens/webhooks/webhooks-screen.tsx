import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { Page, Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { WebhooksTable } from '../../components/webhooks-table';
import { webhooksQuery } from '../../data/webhooks';

const route = getRouteApi('/signed-in/$tenantId/webhooks');

export function WebhooksScreen() {
  const { tenantId } = route.useParams();
  const query = useQuery(webhooksQuery(tenantId));
  return (
    <Page
      title="Webhooks"
      description="Endpoints of subscribers that receive signed events."
      actions={<CopyAs path={`/admin/v1/tenants/${tenantId}/webhooks`} cli="idsync webhooks list" json={query.data} />}
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
            <EmptyState title="No webhook yet">
              A subscriber creates one with its API key: <code>POST /v1/webhooks</code>.
            </EmptyState>
          }
        />
      </Section>
    </Page>
  );
}
