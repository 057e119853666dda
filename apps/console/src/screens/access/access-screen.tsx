import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as';
import { formatCount } from '../../components/format-time';
import { Page } from '../../components/page';
import { StatusBadge } from '../../components/status-badge';
import { TabLinks, tabLink } from '../../components/tabs';
import { useMay } from '../../data/access';
import { auditVerificationQuery } from '../../data/audit';
import { ApiKeys } from './api-keys';
import { Operators } from './operators';

const route = getRouteApi('/signed-in/$tenantId/access');

/** Who may use the API of the tenant, and who operates it. */
export function AccessScreen() {
  const { tenantId } = route.useParams();
  const { view = 'keys' } = route.useSearch();
  const mayAudit = useMay('auditor');
  return (
    <Page
      title="Access"
      description="Keys of the programs that read this tenant, and tokens of the people and programs that operate it."
      actions={
        <>
          {mayAudit && <AuditLink tenantId={tenantId} />}
          <CopyAs
            path={view === 'keys' ? `/admin/v1/tenants/${tenantId}/api-keys` : '/admin/v1/service-tokens'}
            cli={view === 'keys' ? 'idsync keys list' : 'idsync service-tokens list'}
          />
        </>
      }
    >
      <TabLinks label="Access">
        {(['keys', 'operators'] as const)
          .filter((each) => each === 'keys' || mayAudit)
          .map((each) => (
            <Link
              key={each}
              from="/$tenantId/access"
              to="."
              search={{ view: each }}
              className={tabLink}
              aria-current={each === view ? 'page' : undefined}
              activeOptions={{ exact: true }}
            >
              {each === 'keys' ? 'API keys' : 'Operators'}
            </Link>
          ))}
      </TabLinks>
      {view === 'keys' ? <ApiKeys tenantId={tenantId} /> : <Operators />}
    </Page>
  );
}

function AuditLink({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(auditVerificationQuery(tenantId));
  return (
    <>
      {data && (
        <StatusBadge tone={data.problems.length > 0 ? 'bad' : 'ok'}>
          {data.problems.length > 0
            ? 'The audit chain is broken'
            : `${formatCount(data.verified)} audit entries verified`}
        </StatusBadge>
      )}
      <Link from="/$tenantId/access" to="/$tenantId/audit">
        Audit log
      </Link>
    </>
  );
}
