import styles from '../../components/detail-rows.module.css';
import { Section } from '../../components/page';
import { IdLink } from '../../components/tenant-link';
import type { MachineIdentityDetails } from '../../data/api';
import { describeMissing, roleNames } from './describe-machine';

interface ResponsiblePeopleProps {
  machine: MachineIdentityDetails;
  sourceName: string;
}

/** Who is responsible for the machine, by role, as its source says. */
export function ResponsiblePeople({ machine: { people, handed_over }, sourceName }: ResponsiblePeopleProps) {
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
