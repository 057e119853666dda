import { type ReactNode, useSyncExternalStore } from 'react';
import { timeZone } from '../app/preferences';
import { useStore } from '../data/store';
import { Icon } from './button';
import { formatTime, timeAgo } from './format-time';
import { copy } from './notices';
import tones from './tones.module.css';
import styles from './values.module.css';
import { shownValue, type Tone, toneOf, wordsOf } from './words';

/** A status of the API with its tone, or any text with a given one. */
export function StatusBadge({ status, tone, children }: { status?: string; tone?: Tone; children?: ReactNode }) {
  const shown = tone ?? toneOf(status ?? '');
  return <span className={`${styles.badge} ${tones[shown]}`}>{children ?? wordsOf(status ?? '')}</span>;
}

/** An id, shortened in the middle if it is long. */
export const shortId = (id: string) => (id.length <= 20 ? id : `${id.slice(0, 11)}…${id.slice(-4)}`);

/** An id, shortened in the middle; a click copies the whole of it. */
export function IdChip({ id }: { id: string }) {
  return (
    <button type="button" className={styles.chip} title={id} onClick={() => copy(id, 'Id')}>
      <span>
        <span className="visually-hidden">Copy </span>
        {shortId(id)}
      </span>
      <Icon name="copy" size={12} />
    </button>
  );
}

/** An id, and how long ago what it names was created, changed or requested. */
export function IdAndAge({ id, verb, at }: { id: string; verb: string; at: string }) {
  return (
    <>
      <IdChip id={id} />
      <span>
        {verb} <Ago at={at} />
      </span>
    </>
  );
}

const tickMs = 10_000;
let now = Date.now();

function onTick(listener: () => void): () => void {
  // A screen that is opened begins with the present time, not with that of an earlier tick.
  now = Date.now();
  const timer = setInterval(() => {
    if (document.hidden) return;
    now = Date.now();
    listener();
  }, tickMs);
  return () => clearInterval(timer);
}

/** A time in the zone that is chosen in the sidebar. */
export function Time({ at }: { at: string }) {
  const zone = useStore(timeZone);
  return <time dateTime={at}>{formatTime(at, zone)}</time>;
}

/** How long ago a time was; the time itself is its tooltip. */
export function Ago({ at }: { at: string }) {
  const zone = useStore(timeZone);
  const current = useSyncExternalStore(onTick, () => now);
  // A time after the last tick is not in the future.
  const shown = timeAgo(at, Math.max(current, Math.min(Date.parse(at), current + tickMs)));
  return (
    <time dateTime={at} title={formatTime(at, zone)}>
      {shown}
    </time>
  );
}

/** A sentence in a narrow column would be a tall block of few words. */
function widthOf(value: ReactNode): string | undefined {
  const length = typeof value === 'string' ? value.length : 0;
  return length > 60 ? styles.whole : length > 28 ? styles.wide : undefined;
}

/** Pairs of a name and a value. Pairs without a value are left out. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  const shown = items.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  return (
    <dl className={styles.facts}>
      {shown.map(([name, value]) => (
        <div key={name} className={[styles.fact, widthOf(value)].filter(Boolean).join(' ')}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface Change {
  field: string;
  from?: unknown;
  to?: unknown;
  /** Name of the source that says so. */
  source?: string;
}

/** Changed fields, the earlier value above or beside the new one. */
export function FieldDiff({ changes }: { changes: readonly Change[] }) {
  return (
    <ul className={styles.diff}>
      {changes.map(({ field, from, to, source }) => (
        <li key={field} className={styles.change}>
          <span className={styles.field}>{field}</span>
          <span className={styles.values}>
            {from !== undefined && (
              <del className={styles.from} dir="auto">
                <span className="visually-hidden">from </span>
                {shownValue(from)}
              </del>
            )}
            {to === undefined ? (
              <span className={styles.none}>no value</span>
            ) : (
              <ins className={styles.to} dir="auto">
                <span className="visually-hidden">to </span>
                {shownValue(to)}
              </ins>
            )}
            {source && <span className={styles.source}>{source}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
