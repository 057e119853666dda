import { Button } from './button';
import { copy } from './copy';
import { Icon } from './icon';
import styles from './secret-once.module.css';

/** A secret that the service returns only once, with a button that copies it. */
export function SecretOnce({ label, value, hint }: { label: string; value: string; hint?: string }) {
  return (
    <div className={styles.secret}>
      <span className={styles.label}>{label}</span>
      <div className={styles.value}>
        <code>{value}</code>
        <Button small onClick={() => copy(value, label)}>
          <Icon name="copy" size={14} />
          Copy
        </Button>
      </div>
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}
