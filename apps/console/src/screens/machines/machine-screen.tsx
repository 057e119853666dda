import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import styles from '../../components/detail-rows.module.css';
import { IdLink } from '../../components/links';
import { EmptyState, Section } from '../../components/page';
import { RecordDetails } from '../../components/record-details';
import { NotLoaded, Screen } from '../../components/screen';
import { IdAndAge, StatusBadge, Time } from '../../components/values';
import { wordsOf } from '../../components/words';
import { type MachineIdentityDetails, read } from '../../data/api';
import { useSourceName } from '../../data/queries';
import { liveByEvents } from '../../data/query-client';
import { describeFactor, describeMissing, roleNames, toneOfRisk } from './describe-machine';

const route = getRouteApi('/signed-in/$tenantId/machines/$machineId');

/** One machine: its risk and the reasons, who is responsible, and the record of its source. */
export function MachineScreen() {
  const { tenantId, machineId } = route.useParams();
  const query = useQuery({
    ...read('machines', 'GET /machine-identities/{machineId}', { tenantId, machineId }),
    ...liveByEvents,
  });
  const sourceName = useSourceName();
  const machine = query.data;
  if (!machine) return <NotLoaded query={query} noun="machine" id={machineId} all={['/machines', 'All machines']} />;
  const source = sourceName(machine.connector_id);
  return (
    <Screen
      title={machine.display_name}
      beside={<StatusBadge status={machine.status} />}
      description={
        <>
          <span>{wordsOf(machine.classification ?? 'unknown kind')}</span>
          <span dir="auto">{source}</span>
          <IdAndAge id={machine.id} verb="changed" at={machine.updated_at} />
        </>
      }
      api={`/machine-identities/${machineId}`}
      cli={`idsync machines show ${machineId}`}
      json={machine}
    >
      <Risk machine={machine} />
      <ResponsiblePeople machine={machine} sourceName={source} />
      <RecordDetails record={machine} noun="machine" />
    </Screen>
  );
}

/** The risk score as the sum of its factors, each in words. */
function Risk({ machine }: { machine: MachineIdentityDetails }) {
  const { risk_score, risk_factors, next_review_at } = machine;
  return (
    <Section
      title="Risk"
      actions={<StatusBadge tone={toneOfRisk(risk_score)}>{`${risk_score} of 100`}</StatusBadge>}
      flush
    >
      {risk_factors.length === 0 && (
        <EmptyState title="No risk is known">
          Nothing that the source says about this machine adds to its score.
        </EmptyState>
      )}
      <ul>
        {risk_factors.map(({ factor, points }) => {
          const { title, reason } = describeFactor(factor);
          return (
            <li key={factor} className={`${styles.row} ${styles.factor}`}>
              <span className={styles.value}>
                <span className={styles.title}>{title}</span>
                {reason && <span className={styles.about}>{reason}</span>}
              </span>
              <span className={styles.points}>+{points}</span>
            </li>
          );
        })}
      </ul>
      {next_review_at && (
        <p className={styles.note}>
          Without a rotation or use, another factor counts from <Time at={next_review_at} />.
        </p>
      )}
    </Section>
  );
}

interface ResponsiblePeopleProps {
  machine: MachineIdentityDetails;
  sourceName: string;
}

/** The people who are responsible for the machine, by role, as its source says. */
function ResponsiblePeople({ machine: { people, handed_over }, sourceName }: ResponsiblePeopleProps) {
  return (
    <Section title="Responsible people" flush>
      <ul>
        {people.map((person) => (
          <li key={person.role} className={styles.row}>
            <span className={styles.label}>{roleNames[person.role]}</span>
            <span className={styles.value}>
              {person.identity_id ? (
                <span className={styles.title}>
                  <IdLink id={person.identity_id} dir="auto">
                    {person.name ?? person.identity_id}
                  </IdLink>
                </span>
              ) : (
                person.named && <span dir="auto">{person.named}</span>
              )}
              {person.identity_id && person.named && person.named !== person.name && (
                <span className={styles.about} dir="auto">
                  {sourceName}: {person.named}
                </span>
              )}
              <span className={styles.about}>{describeMissing(person)}</span>
              {handed_over && person.role === 'technical_inheritor' && (
                <span className={styles.about}>The owner has left: the successor is responsible now.</span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.note}>Change these people in {sourceName}: its next run reads them.</p>
    </Section>
  );
}
