import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { Screen } from '../../components/screen';
import { ErrorState, Loading } from '../../components/states';
import { TabLinks } from '../../components/tabs';
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
    <Screen
      title="Rules"
      description="Which records are one person, and which source wins when they disagree."
      api={view === 'matching' ? '/matching-rules' : '/attribute-priorities'}
      cli={view === 'matching' ? 'idsync rules show' : 'idsync priorities show'}
      json={view === 'matching' ? rules.data : precedence.data}
    >
      <ApprovalBanner actions={['replaceMatchingRules', 'replaceAttributePriorities', 'confirmOperation']} />
      <TabLinks label="Rules" views={{ matching: 'Matching', precedence: 'Source precedence' }} current={view} />
      {view === 'matching' ? (
        <MatchingRules key={JSON.stringify(rules.data)} stored={rules.data} />
      ) : (
        <PrecedenceForm key={JSON.stringify(precedence.data)} stored={precedence.data} sources={sources.data.data} />
      )}
    </Screen>
  );
}
