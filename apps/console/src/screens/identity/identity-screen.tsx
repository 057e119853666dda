import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { Button, buttonClass } from '../../components/button';
import { DataTable } from '../../components/data-table';
import { useEventColumns } from '../../components/event-columns';
import { TabLinks, TenantLink } from '../../components/links';
import { EmptyState, ErrorState, Loading, Section } from '../../components/page';
import { NotLoaded, Screen } from '../../components/screen';
import { FieldDiff, IdAndAge, StatusBadge, Time } from '../../components/values';
import { call, type Identity, type LifecycleEvent, useTenantId } from '../../data/api';
import { attributeOf, machineOf, nameOf } from '../../data/person';
import { eventsQuery, explanationQuery, identityQuery } from '../../data/queries';
import { History } from './history';
import { IdentityActions } from './identity-actions';
import styles from './identity-screen.module.css';
import { Records } from './records';
import { Values } from './values';
import { changesBetween } from './winning-values';

/** Events that are read of one person; a person with more is shown from its first ones. */
const mostEvents = 2_000;

/** The whole history, oldest first. */
const historyQuery = (tenantId: string, identityId: string) =>
  queryOptions({
    queryKey: ['identity', tenantId, identityId, 'history'],
    queryFn: async () => {
      const events: LifecycleEvent[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined && events.length < mostEvents; ) {
        const page: { data: LifecycleEvent[]; next_cursor?: string } = await call(
          'GET /identities/{identityId}/history',
          { tenantId, identityId },
          { limit: 200, cursor },
        );
        events.push(...page.data);
        cursor = page.next_cursor;
      }
      return events;
    },
  });

const route = getRouteApi('/signed-in/$tenantId/people/$identityId');
const viewNames = {
  values: 'Values',
  records: 'Records and evidence',
  history: 'History',
  events: 'Events and deliveries',
};

export function IdentityScreen() {
  const { tenantId, identityId } = route.useParams();
  const { view = 'values', at, and } = route.useSearch();
  const now = useQuery(identityQuery(tenantId, identityId));
  const then = useQuery({ ...identityQuery(tenantId, identityId, at), enabled: at !== undefined });
  const moment = and === 'now' ? undefined : and;
  const other = useQuery({ ...identityQuery(tenantId, identityId, moment), enabled: moment !== undefined });
  const explanation = useQuery(explanationQuery(tenantId, identityId));
  const history = useQuery(historyQuery(tenantId, identityId));
  if (!now.data)
    return (
      <NotLoaded query={now} noun="person" id={identityId} all={['/people', 'All people']}>
        The person was erased, or belongs to another tenant.
      </NotLoaded>
    );
  const machine = machineOf(now.data);
  if (machine && now.data.machine_identities.length === 1)
    return <Navigate to="/$tenantId/machines/$machineId" params={{ tenantId, machineId: machine.id }} replace />;
  const person = at === undefined ? now.data : (then.data ?? now.data);
  const compared = moment === undefined ? now.data : (other.data ?? now.data);
  const number = attributeOf(person, 'employee_number');
  return (
    <Screen
      title={nameOf(person)}
      beside={<StatusBadge status={person.status} />}
      description={
        <>
          {[attributeOf(person, 'job_title'), attributeOf(person, 'email'), number && `No. ${number}`]
            .filter(Boolean)
            .map((fact) => (
              <span key={fact} dir="auto">
                {fact}
              </span>
            ))}
          <IdAndAge id={person.id} verb="changed" at={person.updated_at} />
        </>
      }
      api={`/identities/${identityId}${at ? `?at=${at}` : ''}`}
      cli={at ? `idsync identities show ${identityId} --at ${at}` : `idsync identities explain ${identityId}`}
      json={person}
      actions={<IdentityActions identity={now.data} records={explanation.data?.records ?? []} />}
    >
      <TabLinks label="Parts of the identity" views={viewNames} current={view} />
      {view === 'values' && history.data && <TimeTravel events={history.data} />}
      {then.isLoadingError && <ErrorState error={then.error} />}
      {other.isLoadingError && <ErrorState error={other.error} />}
      {view === 'values' && at !== undefined && and !== undefined && then.data && !other.isLoadingError && (
        <Comparison one={{ at, person: then.data }} other={{ at: moment, person: compared }} />
      )}
      {view === 'values' && !then.isLoadingError && (
        <Values identity={person} explanation={at === undefined ? explanation.data : undefined} />
      )}
      {view === 'records' &&
        (explanation.data ? <Records explanation={explanation.data} /> : <NotLoaded query={explanation} />)}
      {view === 'events' && <Events identityId={identityId} />}
      {view === 'history' && (history.data ? <History events={history.data} /> : <Loading />)}
    </Screen>
  );
}

interface Moment {
  /** The present if absent. */
  at: string | undefined;
  person: Identity;
}

/** Fields that differ between two moments, from the earlier to the later one. */
function Comparison({ one, other }: { one: Moment; other: Moment }) {
  const isInOrder = one.at !== undefined && (other.at === undefined || one.at <= other.at);
  const [earlier, later] = isInOrder ? [one, other] : [other, one];
  const changes = changesBetween(earlier.person, later.person);
  return (
    <Section
      title={later.at === undefined ? 'Changed until now' : 'Changed between the two moments'}
      actions={
        <span className={styles.between}>
          {earlier.at && <Time at={earlier.at} />} → {later.at ? <Time at={later.at} /> : 'now'}
        </span>
      }
    >
      {changes.length > 0 ? <FieldDiff changes={changes} /> : <EmptyState title="Nothing has changed in this time" />}
    </Section>
  );
}

/** A slider over the moments at which the person changed, and now; a second one chooses the moment to compare with. */
function TimeTravel({ events }: { events: readonly LifecycleEvent[] }) {
  const { at, and } = route.useSearch();
  const navigate = route.useNavigate();
  const moments = [...new Set(events.map(({ occurred_at }) => occurred_at))];
  if (moments.length === 0) return null;
  const go = (search: { at?: string; and?: string }) =>
    navigate({ search: (old) => ({ ...old, ...search }), replace: true, resetScroll: false });
  return (
    <div className={styles.bar}>
      <Moments label="Time" moments={moments} at={at} onChange={(moment) => go({ at: moment })} />
      {at && and && (
        <Moments
          label="Compared with"
          moments={moments}
          at={and === 'now' ? undefined : and}
          onChange={(moment) => go({ and: moment ?? 'now' })}
        />
      )}
      {at && (
        <span className={styles.actions}>
          <Button small onClick={() => go({ and: and ? undefined : 'now' })} aria-pressed={and !== undefined}>
            Compare
          </Button>
          <Button small look="quiet" onClick={() => go({ at: undefined, and: undefined })}>
            Back to now
          </Button>
        </span>
      )}
    </div>
  );
}

interface MomentsProps {
  label: string;
  moments: readonly string[];
  /** The present if absent. */
  at: string | undefined;
  onChange: (at: string | undefined) => void;
}

function Moments({ label, moments, at, onChange }: MomentsProps) {
  // The last position is the present.
  const position =
    at === undefined
      ? moments.length
      : Math.max(
          0,
          moments.findLastIndex((moment) => moment <= at),
        );
  return (
    <div className={styles.moment}>
      <label className={styles.slider}>
        <span className={styles.label}>{label}</span>
        <input
          type="range"
          min={0}
          max={moments.length}
          value={position}
          aria-valuetext={at ?? 'now'}
          onChange={(event) => onChange(moments[Number(event.target.value)])}
        />
      </label>
      <output className={styles.at}>{at ? <Time at={at} /> : 'Now'}</output>
    </div>
  );
}

/** The events of the person, each with its deliveries. */
function Events({ identityId }: { identityId: string }) {
  return (
    <DataTable
      title="Events and deliveries"
      label="Events"
      columns={useEventColumns({ withPerson: false })}
      query={useInfiniteQuery(eventsQuery(useTenantId(), { identity_id: identityId }))}
      empty={{ title: 'No event', text: 'Nothing has happened to this person yet.' }}
      actions={
        <TenantLink path={`/events?identity=${identityId}`} className={buttonClass({ look: 'quiet', small: true })}>
          Open in the feed
        </TenantLink>
      }
    />
  );
}
