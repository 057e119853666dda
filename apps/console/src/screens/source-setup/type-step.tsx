import type { ConnectorType } from '../../data/connector-types';
import styles from './setup.module.css';
import { describeType } from './steps';

interface TypeStepProps {
  types: readonly ConnectorType[];
  chosen: string | undefined;
  onChoose: (type: string) => void;
}

const groups = ['Files', 'Directories and databases', 'Identity providers', 'Machines and cloud'] as const;

/** The types of sources, as large buttons. */
export function TypeStep({ types, chosen, onChoose }: TypeStepProps) {
  return groups.map((group) => (
    <section key={group} className={styles.group} aria-label={group}>
      <h2 className={styles.groupTitle}>{group}</h2>
      <div className={styles.cards}>
        {types
          .filter(({ type }) => describeType(type).group === group)
          .map(({ type }) => {
            const { title, about } = describeType(type);
            return (
              <button
                key={type}
                type="button"
                className={styles.card}
                aria-pressed={type === chosen}
                onClick={() => onChoose(type)}
              >
                <span className={styles.cardTitle}>{title}</span>
                <span className={styles.cardAbout}>{about}</span>
              </button>
            );
          })}
      </div>
    </section>
  ));
}
