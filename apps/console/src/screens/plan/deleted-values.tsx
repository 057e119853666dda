import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Facts } from '../../components/facts';
import { shownValue } from '../../components/shown-value';
import { identityQuery } from '../../data/identities';
import { useTenantId } from '../../data/use-tenant';
import styles from './plan-entry.module.css';
import { recordValues } from './record-values';

interface DeletedValuesProps {
  identityId: string;
  recordId: string;
  externalId: string;
}

/** The present values of a record that would be deleted, read when they are opened. */
export function DeletedValues({ identityId, recordId, externalId }: DeletedValuesProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...identityQuery(useTenantId(), identityId), enabled: isOpen });
  const values = data && recordValues(data, recordId);
  return (
    <details className={styles.fields} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Present values<span className="visually-hidden"> of {externalId}</span>
      </summary>
      {error && <p>{error.message}</p>}
      {values && <Facts items={values.map(([field, value]) => [field, shownValue(value)] as const)} />}
      {data && !values && <p>The record no longer belongs to this person.</p>}
    </details>
  );
}
