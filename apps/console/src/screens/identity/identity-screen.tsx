import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { buttonClass } from '../../components/button';
import { CopyAs } from '../../components/copy-as';
import { FieldDiff } from '../../components/field-diff';
import { IdChip } from '../../components/id-chip';
import { Missing } from '../../components/missing';
import { Page, Section } from '../../components/page';
import { EmptyState, ErrorState, Loading } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { TabLinks, tabLink } from '../../components/tabs';
import { Ago, Time } from '../../components/time';
import { type Identity, isNotFound } from '../../data/api';
import { useConnectorNames } from '../../data/connectors';
import { explanationQuery, identityQuery } from '../../data/identities';
import { attributeOf, machineOf, nameOf } from '../../data/person';
import { Events } from './events';
import { History } from './history';
import { IdentityActions } from './identity-actions';
import { historyQuery } from './identity-queries';
import styles from './identity-screen.module.css';
import { Records } from './records';
import { TimeTravel } from './time-travel';
import { Values } from './values';

import { changesBetween } from './winning-values';

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
  const sourceName = useConnectorNames(tenantId);
  if (now.isPending) return <Loading />;
  if (now.isLoadingError && isNotFound(now.error))
    return (
      <Missing
        title="There is no such person"
        action={
          <Link to="/$tenantId/people" params={{ tenantId }} className={buttonClass({ look: 'primary' })}>
            All people
          </Link>
        }
      >
        No person of this tenant has the id <code>{identityId}</code>. The person was erased, or belongs to another
        tenant.
      </Missing>
    );
  if (now.isLoadingError) return <ErrorState error={now.error} onRetry={() => now.refetch()} />;
  const machine = machineOf(now.data);
  if (machine && now.data.machine_identities.length === 1)
    return <Navigate to="/$tenantId/machines/$machineId" params={{ tenantId, machineId: machine.id }} replace />;
  const person = at === undefined ? now.data : (then.data ?? now.data);
  const compared = moment === undefined ? now.data : (other.data ?? now.data);
  const number = attributeOf(person, 'employee_number');
  return (
    <Page
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
          <IdChip id={person.id} />
          <span>
            changed <Ago at={person.updated_at} />
          </span>
        </>
      }
      actions={
        <>
          <CopyAs
            path={`/admin/v1/tenants/${tenantId}/identities/${identityId}${at ? `?at=${at}` : ''}`}
            cli={at ? `idsync identities show ${identityId} --at ${at}` : `idsync identities explain ${identityId}`}
            json={person}
          />
          <IdentityActions
            tenantId={tenantId}
            identity={now.data}
            records={explanation.data?.records ?? []}
            sourceName={sourceName}
          />
        </>
      }
    >
      <TabLinks label="Parts of the identity">
        {(Object.keys(viewNames) as (keyof typeof viewNames)[]).map((each) => (
          <Link
            key={each}
            from="/$tenantId/people/$identityId"
            to="."
            search={(old) => ({ ...old, view: each === 'values' ? undefined : each })}
            className={tabLink}
            // The other parameters of the URL do not decide which tab is current.
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            aria-current={each === view ? 'page' : undefined}
            resetScroll={false}
          >
            {viewNames[each]}
          </Link>
        ))}
      </TabLinks>
      {view === 'values' && history.data && <TimeTravel events={history.data} />}
      {then.isLoadingError && <ErrorState error={then.error} />}
      {other.isLoadingError && <ErrorState error={other.error} />}
      {view === 'values' && at !== undefined && and !== undefined && then.data && !other.isLoadingError && (
        <Comparison one={{ at, person: then.data }} other={{ at: moment, person: compared }} />
      )}
      {view === 'values' && !then.isLoadingError && (
        <Values
          identity={person}
          explanation={at === undefined ? explanation.data : undefined}
          sourceName={sourceName}
        />
      )}
      {view === 'records' &&
        (explanation.data ? (
          <Records tenantId={tenantId} explanation={explanation.data} sourceName={sourceName} />
        ) : explanation.error ? (
          <ErrorState error={explanation.error} onRetry={() => explanation.refetch()} />
        ) : (
          <Loading />
        ))}
      {view === 'events' && <Events tenantId={tenantId} identityId={identityId} sourceName={sourceName} />}
      {view === 'history' &&
        (history.data ? <History tenantId={tenantId} events={history.data} sourceName={sourceName} /> : <Loading />)}
    </Page>
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
