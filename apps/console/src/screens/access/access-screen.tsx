import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { formatCount } from '../../components/format-time';
import { TabLinks, TenantLink } from '../../components/links';
import { Screen } from '../../components/screen';
import { StatusBadge } from '../../components/values';
import { useTenantId } from '../../data/api';
import { auditVerificationQuery } from '../../data/queries';
import { useMay } from '../../data/session';
import { ApiKeys } from './api-keys';
import { Operators } from './operators';

const route = getRouteApi('/signed-in/$tenantId/access');

/** The keys of the API of the tenant, and its operators. */
export function AccessScreen() {
  const { view = 'keys' } = route.useSearch();
  const mayAudit = useMay('auditor');
  return (
    <Screen
      title="Access"
      description="Keys of the programs that read this tenant, and tokens of the people and programs that operate it."
      api={view === 'keys' ? '/api-keys' : '/admin/v1/service-tokens'}
      cli={view === 'keys' ? 'idsync keys list' : 'idsync service-tokens list'}
      actions={mayAudit && <AuditLink />}
    >
      <TabLinks
        label="Access"
        views={{ keys: 'API keys', ...(mayAudit && { operators: 'Operators' }) }}
        current={view}
      />
      {view === 'keys' ? <ApiKeys /> : <Operators />}
    </Screen>
  );
}

function AuditLink() {
  const { data } = useQuery(auditVerificationQuery(useTenantId()));
  return (
    <>
      {data && (
        <StatusBadge tone={data.problems.length > 0 ? 'bad' : 'ok'}>
          {data.problems.length > 0
            ? 'The audit chain is broken'
            : `${formatCount(data.verified)} audit entries verified`}
        </StatusBadge>
      )}
      <TenantLink path="/audit">Audit log</TenantLink>
    </>
  );
}
