import { IdsyncError } from '@idsync/client/operator';
import type { ReactNode } from 'react';
import { Button } from './button';
import styles from './states.module.css';

/** What a list shows if it has nothing, and what to do about it. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.state}>
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.text}>{children}</div>}
      {action && <div className={styles.action}>{action}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const isRefused = error instanceof IdsyncError;
  const title =
    isRefused && error.status === 404
      ? 'Not found'
      : isRefused && error.status === 403
        ? 'Your role does not allow this'
        : 'This could not be loaded';
  return (
    <div className={`${styles.state} ${styles.error}`} role="alert">
      <p className={styles.title}>{title}</p>
      <p className={styles.text}>
        {isRefused ? reasonOf(error) : 'The service did not answer. It is retried when you are back online.'}
      </p>
      {isRefused && error.requestId && (
        <p className={styles.request}>
          Request <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && (
        <div className={styles.action}>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

function reasonOf({ message }: IdsyncError): string {
  return message === 'not found' ? 'It was deleted, or belongs to another tenant.' : message;
}

/** Grey bars in place of content. */
export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div className={styles.loading} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
        <div key={row} className={styles.bar} />
      ))}
    </div>
  );
}
