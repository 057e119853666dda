import { useQuery } from '@tanstack/react-query';
import { buttonClass } from '../../components/button';
import { describeLink } from '../../components/describe-link';
import styles from '../../components/detail-rows.module.css';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { IdLink, TenantLink } from '../../components/tenant-link';
import { Ago } from '../../components/time';
import type { AccountDetails } from '../../data/api';
import { explanationQuery } from '../../data/identities';
import { useTenantId } from '../../data/use-tenant';

/** The person of an account, and the evidence for it. */
export function AccountPerson({ account }: { account: AccountDetails }) {
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

interface EvidenceProps {
  identityId: string;
  accountId: string;
}

function Evidence({ identityId, accountId }: EvidenceProps) {
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
