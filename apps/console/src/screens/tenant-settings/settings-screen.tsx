import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { CopyAs } from '../../components/copy-as';
import { IdChip } from '../../components/id-chip';
import { Page } from '../../components/page';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { useMay, useSession } from '../../data/access';
import { tenantQuery } from '../../data/tenants';
import { Quotas } from './quotas';
import { SettingsForm } from './settings-form';
import { quotasQuery, settingsQuery } from './settings-queries';
import { TenantActions } from './tenant-actions';

const route = getRouteApi('/signed-in/$tenantId/settings');

/** Name and state of the tenant, its rules for dates and operators, and its limits. */
export function SettingsScreen() {
  const { tenantId } = route.useParams();
  const tenant = useQuery(tenantQuery(tenantId));
  const settings = useQuery(settingsQuery(tenantId));
  const quotas = useQuery(quotasQuery(tenantId));
  const isInstallation = !useSession().actor.tenants;
  const mayChange = useMay('admin');
  const error = tenant.error ?? settings.error ?? quotas.error;
  if (!tenant.data || !settings.data || !quotas.data) {
    const onRetry = () => Promise.all([tenant.refetch(), settings.refetch()]);
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Loading />;
  }
  const { name, created_at, suspended_at } = tenant.data;
  return (
    <Page
      title={name}
      beside={<StatusBadge status={suspended_at ? 'suspended' : 'active'} />}
      description={
        <>
          <IdChip id={tenantId} />
          <span>
            created <Time at={created_at} />
          </span>
        </>
      }
      actions={
        <>
          <CopyAs path={`/admin/v1/tenants/${tenantId}/settings`} cli="idsync config pull" json={settings.data} />
          {mayChange && isInstallation && <TenantActions tenant={tenant.data} />}
        </>
      }
    >
      <ApprovalBanner
        tenantId={tenantId}
        actions={['updateSettings', 'replaceOperatorPolicy', 'replaceLifecyclePolicy']}
      />
      <SettingsForm
        key={JSON.stringify(settings.data)}
        tenantId={tenantId}
        settings={settings.data}
        mayChange={mayChange}
      />
      <Quotas
        key={JSON.stringify(Object.values(quotas.data).map(({ limit }) => limit))}
        tenantId={tenantId}
        usage={quotas.data}
        mayChange={mayChange && isInstallation}
      />
    </Page>
  );
}
