import { Ago } from '../components/time';
import styles from './portal.module.css';

/** When the page will need a new link. */
export function Expiry({ at }: { at: string }) {
  return (
    <p className={styles.expiry}>
      This link expires <Ago at={at} />
    </p>
  );
}
