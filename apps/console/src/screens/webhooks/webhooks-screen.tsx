import { useQuery } from '@tanstack/react-query';
import { buttonClass, Icon } from '../../components/button';
import { IdLink, TenantLink } from '../../components/links';
import { Screen } from '../../components/screen';
import { WebhooksTable } from '../../components/webhooks-table';
import { useTenantId } from '../../data/api';
import { webhooksQuery } from '../../data/queries';
import { useMay } from '../../data/session';

export function WebhooksScreen() {
  const tenantId = useTenantId();
  const query = useQuery(webhooksQuery(tenantId));
  const add = useMay('admin') && (
    <TenantLink path="/webhooks/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" />
      New webhook
    </TenantLink>
  );
  return (
    <Screen
      title="Webhooks"
      description="Endpoints of subscribers that receive signed events."
      api="/webhooks"
      cli="idsync webhooks list"
      json={query.data}
      actions={add}
    >
      <WebhooksTable
        isConsole
        rows={(query.data?.data ?? []).map((webhook) => ({ ...webhook, health: webhook }))}
        query={query}
        linkOf={(id, props) => <IdLink id={id} {...props} />}
        empty={{
          title: 'No webhook yet',
          text: 'A webhook sends signed events to an address. A subscriber creates its own with its API key.',
          action: add,
        }}
      />
    </Screen>
  );
}
