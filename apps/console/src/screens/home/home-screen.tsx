import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { formatCount } from '../../components/format-time';
import { Page, Section } from '../../components/page';
import { StatTile, StatTiles } from '../../components/stat-tile';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { TenantLink } from '../../components/tenant-link';
import type { Connector } from '../../data/api';
import { connectorsQuery } from '../../data/connectors';
import { webhooksQuery } from '../../data/webhooks';
import { Activity } from './activity';
import { activityQuery, heldRunsQuery, openCasesQuery, openFindingsQuery, peopleCountQuery } from './home-queries';
import { NeedList } from './need-list';
import { needsOf } from './needs';
import { SourceHealth } from './source-health';

const route = getRouteApi('/signed-in/$tenantId/');

/** What needs the operator, most urgent first. */
export function HomeScreen() {
  const { tenantId } = route.useParams();
  const connectors = useQuery(connectorsQuery(tenantId));
  const held = useQuery(heldRunsQuery(tenantId));
  const cases = useQuery(openCasesQuery(tenantId));
  const findings = useQuery(openFindingsQuery(tenantId));
  const webhooks = useQuery(webhooksQuery(tenantId));
  const { data: people } = useQuery(peopleCountQuery(tenantId));
  const { data: activity } = useQuery(activityQuery(tenantId));
  const parts = [connectors, held, cases, findings, webhooks];
  const failed = parts.find(({ error, data }) => error && !data);
  if (failed?.error) return <ErrorState error={failed.error} onRetry={() => failed.refetch()} />;
  if (!connectors.data || !held.data || !cases.data || !findings.data || !webhooks.data) return <Loading rows={8} />;
  const sources = connectors.data.data;
  const needs = needsOf({
    held: held.data,
    sources,
    cases: cases.data,
    findings: findings.data,
    webhooks: webhooks.data.data,
    now: Date.now(),
  });
  const linkTo = (path: string) => (props: { className: string | undefined; children: string }) => (
    <TenantLink path={path} {...props} />
  );
  const hasMachines = sources.some(({ records }) => records === 'machine_identity');
  const dead = webhooks.data.data.reduce((sum, webhook) => sum + webhook.dead.count, 0);
  return (
    <Page title="Home">
      <StatTiles>
        <StatTile
          label="People"
          link={linkTo('/people')}
          value={people ? formatCount(people.total, people.total_is_estimate) : '…'}
          about={hasMachines ? 'and machines without an owner' : undefined}
        />
        <StatTile
          label="Sources"
          link={linkTo('/sources')}
          value={formatCount(sources.length)}
          about={describeSources(sources)}
        />
        <StatTile
          label="Open cases"
          link={linkTo('/cases')}
          value={formatCount(cases.data.total)}
          tone={cases.data.total ? 'warn' : undefined}
        />
        <StatTile
          label="Open findings"
          link={linkTo('/findings')}
          value={`${formatCount(findings.data.data.length)}${findings.data.next_cursor ? '+' : ''}`}
          tone={findings.data.data.length ? 'warn' : undefined}
        />
        <StatTile
          label="Dead deliveries"
          link={linkTo('/webhooks')}
          value={formatCount(dead)}
          tone={dead ? 'bad' : undefined}
        />
      </StatTiles>
      <Section title="What needs you" flush>
        {needs.length > 0 ? (
          <NeedList needs={needs} />
        ) : (
          <EmptyState title={sources.length === 0 ? 'Connect your first source' : 'Nothing needs you'}>
            {sources.length === 0
              ? 'A source is a file, a directory or an application that lists people, accounts or machines. idsync reads it, matches its records into identities and reports every change.'
              : 'Held runs, failing sources, open cases, findings and dead deliveries appear here.'}
          </EmptyState>
        )}
      </Section>
      {activity && <Activity activity={activity} />}
      {sources.length > 0 && <SourceHealth sources={sources} />}
    </Page>
  );
}

function describeSources(sources: readonly Connector[]): string {
  if (sources.length === 0) return 'none is connected';
  const unhealthy = sources.filter(({ health }) => health !== 'ok').length;
  if (unhealthy === 0) return 'all are read without errors';
  return unhealthy === 1 ? '1 needs you' : `${unhealthy} need you`;
}
