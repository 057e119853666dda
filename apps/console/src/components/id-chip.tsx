import { Icon } from './button';
import styles from './id-chip.module.css';
import { copy } from './notices';
import { Ago } from './time';

/** An id, shortened in the middle if it is long. */
export const shortId = (id: string) => (id.length <= 20 ? id : `${id.slice(0, 11)}…${id.slice(-4)}`);

/** An id, shortened in the middle; a click copies the whole of it. */
export function IdChip({ id, full = false }: { id: string; full?: boolean }) {
  const shown = full ? id : shortId(id);
  return (
    <button type="button" className={styles.chip} title={id} onClick={() => copy(id, 'Id')}>
      <span>
        <span className="visually-hidden">Copy </span>
        {shown}
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
