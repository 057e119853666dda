import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IdAndAge } from '../../components/id-chip';
import { RecordDetails } from '../../components/record-details';
import { NotLoaded, Screen } from '../../components/screen';
import { StatusBadge } from '../../components/status-badge';
import { call } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import { liveByEvents } from '../../data/query-client';
import { AccountPerson } from './account-person';

const route = getRouteApi('/signed-in/$tenantId/accounts/$accountId');

/** One account: the person whose it is and why, its findings, the record of its source, and its events. */
export function AccountScreen() {
  const { tenantId, accountId } = route.useParams();
  const query = useQuery({
    queryKey: ['accounts', tenantId, accountId],
    queryFn: () => call('GET /accounts/{accountId}', { tenantId, accountId }),
    ...liveByEvents,
  });
  const sourceName = useSourceName();
  const account = query.data;
  if (!account) return <NotLoaded query={query} noun="account" id={accountId} all={['/accounts', 'All accounts']} />;
  const source = sourceName(account.connector_id);
  return (
    <Screen
      title={account.identifier}
      beside={<StatusBadge status={account.status} />}
      description={
        <>
          {account.display_name && <span dir="auto">{account.display_name}</span>}
          <span dir="auto">{source}</span>
          <IdAndAge id={account.id} verb="changed" at={account.updated_at} />
        </>
      }
      api={`/accounts/${accountId}`}
      cli={`idsync accounts show ${accountId}`}
      json={account}
    >
      <AccountPerson account={account} />
      <RecordDetails record={account} noun="account" />
    </Screen>
  );
}
