import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { CopyAs } from '../../components/copy-as';
import { Page } from '../../components/page';
import { ErrorState, Loading } from '../../components/states';
import { TabLinks, tabLink } from '../../components/tabs';
import { connectorsQuery } from '../../data/connectors';
import { MatchingRules } from './matching-rules';
import { PrecedenceForm } from './precedence-form';
import { precedenceQuery, rulesQuery } from './rules-queries';

const route = getRouteApi('/signed-in/$tenantId/rules');

/** Which records are one person, and which source wins when they disagree. */
export function RulesScreen() {
  const { tenantId } = route.useParams();
  const { view = 'matching' } = route.useSearch();
  const rules = useQuery(rulesQuery(tenantId));
  const precedence = useQuery(precedenceQuery(tenantId));
  const sources = useQuery(connectorsQuery(tenantId));
  const error = rules.error ?? precedence.error ?? sources.error;
  if (!rules.data || !precedence.data || !sources.data) {
    const onRetry = () => Promise.all([rules.refetch(), precedence.refetch()]);
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Loading />;
  }
  return (
    <Page
      title="Rules"
      description="Which records are one person, and which source wins when they disagree."
      actions={
        <CopyAs
          path={`/admin/v1/tenants/${tenantId}/${view === 'matching' ? 'matching-rules' : 'attribute-priorities'}`}
          cli={view === 'matching' ? 'idsync rules show' : 'idsync priorities show'}
          json={view === 'matching' ? rules.data : precedence.data}
        />
      }
    >
      <ApprovalBanner
        tenantId={tenantId}
        actions={['replaceMatchingRules', 'replaceAttributePriorities', 'confirmOperation']}
      />
      <TabLinks label="Rules">
        {(['matching', 'precedence'] as const).map((each) => (
          <Link
            key={each}
            from="/$tenantId/rules"
            to="."
            search={{ view: each }}
            className={tabLink}
            aria-current={each === view ? 'page' : undefined}
            activeOptions={{ exact: true }}
          >
            {each === 'matching' ? 'Matching' : 'Source precedence'}
          </Link>
        ))}
      </TabLinks>
      {view === 'matching' ? (
        <MatchingRules key={JSON.stringify(rules.data)} tenantId={tenantId} stored={rules.data} />
      ) : (
        <PrecedenceForm
          key={JSON.stringify(precedence.data)}
          tenantId={tenantId}
          stored={precedence.data}
          sources={sources.data.data}
        />
      )}
    </Page>
  );
}
