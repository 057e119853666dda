import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { IdChip } from '../../components/id-chip';
import { Missing } from '../../components/missing';
import { Page } from '../../components/page';
import { RecordEvents } from '../../components/record-events';
import { RecordFindings } from '../../components/record-findings';
import { RecordValues } from '../../components/record-values';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Ago } from '../../components/time';
import { isNotFound } from '../../data/api';
import { useConnectorNames } from '../../data/connectors';
import { AccountPerson } from './account-person';
import { accountQuery } from './account-query';

const route = getRouteApi('/signed-in/$tenantId/accounts/$accountId');

/** One account: the person whose it is and why, its findings, the record of its source, and its events. */
export function AccountScreen() {
  const { tenantId, accountId } = route.useParams();
  const { data: account, error, refetch } = useQuery(accountQuery(tenantId, accountId));
  const sourceName = useConnectorNames(tenantId);
  if (!account && isNotFound(error))
    return (
      <Missing
        title="There is no such account"
        action={
          <Link to="/$tenantId/accounts" params={{ tenantId }} className={buttonClass({ look: 'primary' })}>
            All accounts
          </Link>
        }
      >
        No account of this tenant has the id <code>{accountId}</code>.
      </Missing>
    );
  if (!account) return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
  const source = sourceName(account.connector_id);
  return (
    <Page
      title={account.identifier}
      beside={<StatusBadge status={account.status} />}
      description={
        <>
          {account.display_name && <span dir="auto">{account.display_name}</span>}
          <span dir="auto">{source}</span>
          <IdChip id={account.id} />
          <span>
            changed <Ago at={account.updated_at} />
          </span>
        </>
      }
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/accounts/${accountId}`}
          cli={`idsync accounts show ${accountId}`}
          json={account}
        />
      }
    >
      <AccountPerson tenantId={tenantId} account={account} />
      <RecordFindings tenantId={tenantId} recordId={accountId} noun="account" />
      <RecordValues tenantId={tenantId} record={account} sourceName={source} />
      <RecordEvents tenantId={tenantId} recordId={accountId} identityId={account.identity_id} sourceName={sourceName} />
    </Page>
  );
}
