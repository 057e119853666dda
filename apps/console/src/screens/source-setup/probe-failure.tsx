import { wordsOf } from '../../components/status';
import type { ConnectorProbe } from '../../data/api';
import styles from './setup.module.css';

/** Why the source could not be read, and the text of the source itself. */
export function ProbeFailure({ probe }: { probe: ConnectorProbe }) {
  return (
    <div role="alert" className={styles.failure}>
      <p className={styles.failureTitle}>
        {probe.error_code ? wordsOf(probe.error_code) : 'The source could not be read'}
      </p>
      <p>{probe.error}</p>
      {probe.source_message && (
        <p>
          The source says: <code dir="auto">{probe.source_message}</code>
        </p>
      )}
    </div>
  );
}
