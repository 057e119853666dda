import { useSyncExternalStore } from 'react';
import styles from './notices.module.css';

interface Notice {
  id: number;
  text: string;
  tone: 'ok' | 'bad';
}

const shownMs = 6_000;
let notices: readonly Notice[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function replace(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

/** Shows a short text for some seconds, also to screen readers. */
export function notify(text: string, tone: Notice['tone'] = 'ok'): void {
  const id = nextId;
  nextId += 1;
  replace([...notices.slice(-2), { id, text, tone }]);
  setTimeout(() => replace(notices.filter((notice) => notice.id !== id)), shownMs);
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div className={styles.notices} role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <div key={id} className={`${styles.notice} ${styles[tone]}`}>
          {text}
        </div>
      ))}
    </div>
  );
}
