import { Facts } from '../../components/facts';
import { Section } from '../../components/page';
import { Time } from '../../components/time';
import type { Tenant } from '../../data/api';
import { TenantActions } from './tenant-actions';
import { viewNames } from './views';

/** Name and state of the tenant. Only operators of all tenants change them. */
export function General({ tenant, mayChange }: { tenant: Tenant; mayChange: boolean }) {
  const { name, created_at, suspended_at } = tenant;
  return (
    <Section title={viewNames.general} actions={mayChange && <TenantActions tenant={tenant} />}>
      <Facts
        items={[
          ['Name', name],
          ['Suspended since', suspended_at && <Time key="suspended" at={suspended_at} />],
          ['Created', <Time key="created" at={created_at} />],
        ]}
      />
    </Section>
  );
}
