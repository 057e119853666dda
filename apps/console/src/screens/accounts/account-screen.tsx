import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import styles from '../../components/detail-rows.module.css';
import { IdLink, TenantLink } from '../../components/links';
import { EmptyState, Section } from '../../components/page';
import { RecordDetails } from '../../components/record-details';
import { NotLoaded, Screen } from '../../components/screen';
import { Ago, IdAndAge, StatusBadge } from '../../components/values';
import { describeLink } from '../../components/words';
import { type AccountDetails, read, useTenantId } from '../../data/api';
import { explanationQuery, useSourceName } from '../../data/queries';
import { liveByEvents } from '../../data/query-client';

const route = getRouteApi('/signed-in/$tenantId/accounts/$accountId');

/** One account: the person whose it is and why, its findings, the record of its source, and its events. */
export function AccountScreen() {
  const { tenantId, accountId } = route.useParams();
  const query = useQuery({
    ...read('accounts', 'GET /accounts/{accountId}', { tenantId, accountId }),
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

/** The person of an account, and the evidence for it. */
function AccountPerson({ account }: { account: AccountDetails }) {
  const { id, identity_id: identityId, identity_name: name } = account;
  if (!identityId)
    return (
      <Section title="Person">
        <EmptyState
          title="This account belongs to no person"
          action={
            <TenantLink path="/cases" className={buttonClass()}>
              Cases
            </TenantLink>
          }
        >
          No match key of the account fits a person. It is matched again when its values or those of a person change.
        </EmptyState>
      </Section>
    );
  return (
    <Section
      title="Person"
      actions={
        <TenantLink path={`/people/${identityId}?view=records`} className={buttonClass({ look: 'quiet', small: true })}>
          All records of the person
        </TenantLink>
      }
      flush
    >
      <ul>
        <li className={styles.row}>
          <span className={styles.label}>Belongs to</span>
          <span className={styles.title}>
            <IdLink id={identityId} dir="auto">
              {name ?? identityId}
            </IdLink>
          </span>
        </li>
        <Evidence identityId={identityId} accountId={id} />
      </ul>
    </Section>
  );
}

function Evidence({ identityId, accountId }: { identityId: string; accountId: string }) {
  const { data } = useQuery(explanationQuery(useTenantId(), identityId));
  const record = data?.records.find(({ id }) => id === accountId);
  if (!record) return null;
  const { evidence } = record;
  return (
    <>
      <li className={styles.row}>
        <span className={styles.label}>Why</span>
        <span className={styles.value}>
          {describeLink(record)}
          {evidence && (
            <span className={styles.about}>
              linked <Ago at={evidence.at} />
            </span>
          )}
        </span>
      </li>
      {evidence?.values?.map(({ field, value, other }) => (
        <li key={field} className={styles.row}>
          <span className={styles.field}>{field}</span>
          <span className={styles.value} dir="auto">
            {value === other ? value : `${value ?? '—'} ≈ ${other ?? '—'}`}
          </span>
        </li>
      ))}
    </>
  );
}
