import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { CopyAs } from '../../components/copy-as';
import { IdChip } from '../../components/id-chip';
import { Page } from '../../components/page';
import { ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { useMay, useSession } from '../../data/access';
import { tenantQuery } from '../../data/tenants';
import { quotasQuery, settingsQuery } from './settings-queries';
import { SettingsSections } from './settings-sections';

const route = getRouteApi('/signed-in/$tenantId/settings');

/** Name and state of the tenant, its rules for dates and operators, and its limits. */
export function SettingsScreen() {
  const { tenantId } = route.useParams();
  const { view = 'general' } = route.useSearch();
  const tenant = useQuery(tenantQuery(tenantId));
  const settings = useQuery(settingsQuery(tenantId));
  const quotas = useQuery(quotasQuery(tenantId));
  const isInstallation = !useSession().actor.tenants;
  const mayChange = useMay('admin');
  const error = tenant.error ?? settings.error ?? quotas.error;
  if (!tenant.data || !settings.data || !quotas.data) {
    const onRetry = () => Promise.all([tenant.refetch(), settings.refetch(), quotas.refetch()]);
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Loading />;
  }
  const of = view === 'quotas' ? 'quotas' : 'settings';
  return (
    <Page
      title={tenant.data.name}
      beside={<StatusBadge status={tenant.data.suspended_at ? 'suspended' : 'active'} />}
      description={<IdChip id={tenantId} />}
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/${of}`}
          cli={of === 'quotas' ? 'idsync tenants quotas show' : 'idsync config pull'}
          json={view === 'quotas' ? quotas.data : settings.data}
        />
      }
    >
      <ApprovalBanner
        tenantId={tenantId}
        actions={['updateSettings', 'replaceOperatorPolicy', 'replaceLifecyclePolicy', 'confirmOperation']}
      />
      <SettingsSections
        key={tenantId}
        view={view}
        tenant={tenant.data}
        settings={settings.data}
        quotas={quotas.data}
        mayChange={mayChange}
        isInstallation={isInstallation}
      />
    </Page>
  );
}
