import styles from '../../components/detail-rows.module.css';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import type { MachineIdentityDetails } from '../../data/api';
import { describeFactor, toneOfRisk } from './describe-machine';

/** The risk score as the sum of its factors, each in words. */
export function Risk({ machine }: { machine: MachineIdentityDetails }) {
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
