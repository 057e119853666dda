import { useEffect } from 'react';
import states from '../components/states.module.css';
import styles from './portal.module.css';

/** Shown without a key, and when the link has expired or was revoked. */
export function Expired() {
  useEffect(() => {
    document.title = 'Link expired';
  }, []);
  return (
    <div className={styles.expired}>
      <div className={states.state}>
        <h1 className={states.title}>This link has expired</h1>
        <p className={states.text}>
          Links to this page are valid for a short time. Go back to the product that sent you here, and open the page
          from there again.
        </p>
      </div>
    </div>
  );
}
