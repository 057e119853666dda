import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/button';
import type { SetupStep } from '../../data/searches';
import styles from './setup.module.css';
import { stepNames } from './steps';

interface StepperProps {
  steps: readonly SetupStep[];
  current: SetupStep;
  /** Steps before it can no longer be changed. */
  first: SetupStep;
  /** Steps after it cannot be opened yet. */
  reached: SetupStep;
}

/** The path with its steps. Each is a link, so that the back button works. */
export function Stepper({ steps, current, first, reached }: StepperProps) {
  const at = steps.indexOf(current);
  return (
    <nav className={styles.stepper} aria-label="Steps">
      <ol>
        {steps.map((step, index) => {
          const isOpen = index >= steps.indexOf(first) && index <= Math.max(steps.indexOf(reached), at);
          const isDone = index < at;
          const mark = (
            <>
              <span className={isDone ? `${styles.mark} ${styles.done}` : styles.mark}>
                {isDone ? <Icon name="check" size={12} /> : index + 1}
              </span>
              {stepNames[step]}
            </>
          );
          return (
            <li key={step}>
              {isOpen ? (
                <Link
                  from="/$tenantId/source-setup"
                  to="."
                  search={(old) => ({ ...old, step })}
                  className={styles.step}
                  aria-current={step === current ? 'step' : undefined}
                >
                  {mark}
                </Link>
              ) : (
                <span className={styles.step} aria-disabled="true">
                  {mark}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
