import { Store, useStore } from '../data/store';
import styles from './notices.module.css';

interface Notice {
  id: number;
  text: string;
  tone: 'ok' | 'bad';
}

const shownMs = 6_000;
const notices = new Store<readonly Notice[]>([]);
let nextId = 1;

/** Shows a short text for some seconds, also to screen readers. */
export function notify(text: string, tone: Notice['tone'] = 'ok'): void {
  const id = nextId;
  nextId += 1;
  notices.set([...notices.get().slice(-2), { id, text, tone }]);
  setTimeout(() => notices.set(notices.get().filter((notice) => notice.id !== id)), shownMs);
}

export function Notices() {
  return (
    <div className={styles.notices} role="status" aria-live="polite">
      {useStore(notices).map(({ id, text, tone }) => (
        <div key={id} className={`${styles.notice} ${styles[tone]}`}>
          {text}
        </div>
      ))}
    </div>
  );
}

/** Copies a text, and reports it. Without HTTPS a browser has no clipboard for pages. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied`);
  } catch {
    notify('The browser did not allow copying. The clipboard needs HTTPS or localhost.', 'bad');
  }
}
