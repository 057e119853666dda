import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalBanner } from '../../components/approval-banner';
import { TabLinks } from '../../components/links';
import { ErrorState, Loading } from '../../components/page';
import { Screen } from '../../components/screen';
import { read } from '../../data/api';
import { connectorsQuery } from '../../data/queries';
import { MatchingRules } from './matching-rules';
import { PrecedenceForm } from './precedence-form';

const whileEdited = { refetchOnWindowFocus: false };

const route = getRouteApi('/signed-in/$tenantId/rules');

/** Which records are one person, and which source wins when they disagree. */
export function RulesScreen() {
  const { tenantId } = route.useParams();
  const { view = 'matching' } = route.useSearch();
  const rules = useQuery({ ...read('matching-rules', 'GET /matching-rules', { tenantId }), ...whileEdited });
  const precedence = useQuery({
    ...read('attribute-priorities', 'GET /attribute-priorities', { tenantId }),
    ...whileEdited,
  });
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
