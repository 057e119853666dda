import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../components/button';
import { type Column, DataTable } from '../../components/data-table';
import { formatCount, formatCounted, sumOfCounts } from '../../components/format-time';
import { linkColumn, TenantLink } from '../../components/links';
import { EmptyState, ErrorState, Loading, Page, Section, StatTile, StatTiles } from '../../components/page';
import tones from '../../components/tones.module.css';
import { Ago } from '../../components/values';
import { recordsName } from '../../components/words';
import { type Connector, read, useTenantId } from '../../data/api';
import { connectorsQuery, webhooksQuery } from '../../data/queries';
import { liveByEvents, unlessStreamed } from '../../data/query-client';
import { Activity } from './activity';
import styles from './home-screen.module.css';
import { type Need, needsOf } from './needs';

const few = 5;
/** Interval of what is costly to count. */
const slowly = { refetchInterval: () => unlessStreamed(30_000) };

/** Matters that need the operator, most urgent first. */
export function HomeScreen() {
  const tenantId = useTenantId();
  const connectors = useQuery(connectorsQuery(tenantId));
  const held = useQuery({
    ...read('jobs', 'GET /sync-jobs', { tenantId }, { status: 'quarantined', limit: few }),
    ...liveByEvents,
  });
  const cases = useQuery({
    ...read('cases', 'GET /cases', { tenantId }, { status: 'open', limit: few }),
    ...liveByEvents,
  });
  const findings = useQuery({
    ...read('findings', 'GET /findings/counts', { tenantId }),
    ...liveByEvents,
  });
  const webhooks = useQuery(webhooksQuery(tenantId));
  const { data: people } = useQuery({
    ...read('people-count', 'GET /identities', { tenantId }, { limit: 1 }),
    ...slowly,
  });
  const { data: activity } = useQuery({ ...read('activity', 'GET /activity', { tenantId }), ...slowly });
  const parts = [connectors, held, cases, findings, webhooks];
  const failed = parts.find(({ error, data }) => error && !data);
  if (failed?.error) return <ErrorState error={failed.error} onRetry={() => failed.refetch()} />;
  if (!connectors.data || !held.data || !cases.data || !findings.data || !webhooks.data) return <Loading rows={8} />;
  const sources = connectors.data.data;
  const needs = needsOf({
    held: held.data,
    sources,
    cases: cases.data,
    findings: findings.data.data,
    webhooks: webhooks.data.data,
    now: Date.now(),
  });
  const linkTo = (path: string) => (props: { className: string | undefined; children: string }) => (
    <TenantLink path={path} {...props} />
  );
  const hasMachines = sources.some(({ records }) => records === 'machine_identity');
  const open = sumOfCounts(findings.data.data);
  const dead = sumOfCounts(webhooks.data.data.map((webhook) => webhook.dead));
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
          value={formatCount(cases.data.total, cases.data.total_is_estimate)}
          tone={cases.data.total ? 'warn' : undefined}
        />
        <StatTile
          label="Open findings"
          link={linkTo('/findings')}
          value={formatCounted(open)}
          tone={open.count ? 'warn' : undefined}
        />
        <StatTile
          label="Dead deliveries"
          link={linkTo('/webhooks')}
          value={formatCounted(dead)}
          tone={dead.count ? 'bad' : undefined}
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

function NeedList({ needs }: { needs: readonly Need[] }) {
  return (
    <ul>
      {needs.map(({ key, icon, tone, title, detail, at, path }) => (
        <li key={key} className={styles.need}>
          <span className={`${styles.icon} ${tones[tone]}`}>
            <Icon name={icon} />
          </span>
          <span className={styles.text}>
            <TenantLink path={path} className={styles.title}>
              <span dir="auto">{title}</span>
            </TenantLink>
            {detail && <span className={styles.detail}>{detail}</span>}
          </span>
          {at && (
            <span className={styles.at}>
              <Ago at={at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

const columns: readonly Column<Connector>[] = [
  linkColumn('Name', 'minmax(0, 2fr)', 'name'),
  { header: 'Type', from: 'medium', cell: 'type' },
  { header: 'Lists', from: 'wide', cell: ({ records }) => recordsName(records) },
  { header: 'Health', as: 'status', cell: 'health' },
  {
    header: 'Records read',
    as: 'count',
    width: '110px',
    from: 'medium',
    cell: ({ last_run }) => last_run?.records_read,
  },
  { header: 'Complete as of', as: 'ago', width: '120px', from: 'small', cell: 'complete_as_of', none: 'Never' },
];

function SourceHealth({ sources }: { sources: readonly Connector[] }) {
  return <DataTable title="Sources" columns={columns} rows={sources} />;
}
