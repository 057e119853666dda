import { Store, useStore } from '../data/store';
import { ConfirmDialog } from './dialog';
import { formatCount } from './format-time';
import styles from './held-operation.module.css';
import { StatusBadge } from './values';

interface Held {
  operationId: string;
  /** Why it is held and whose access changes, as `openapi.json` leaves it open. */
  result?: Record<string, unknown> | undefined;
}

interface ChangedPerson {
  identity_id: string;
  name?: string;
  from: string;
  to: string;
}

const shown = 10;
const named = 3;

function changedPeople({ access_changes: listed, access_changes_total: count }: Record<string, unknown>) {
  const people = (listed ?? []) as ChangedPerson[];
  return { people, total: Number(count ?? people.length) };
}

/** Names the people whose access an operation has changed; undefined if there are none. */
export function accessNotice(result: Record<string, unknown> = {}): string | undefined {
  const { people, total } = changedPeople(result);
  if (total === 0) return undefined;
  const changes = people.slice(0, named).map(({ identity_id: id, name, from, to }) => `${name ?? id}: ${from} → ${to}`);
  return `Access changed: ${[...changes, ...(total > named ? [`and ${formatCount(total - named)} more`] : [])].join(', ')}.`;
}

/** The question stays while its dialog fades out. */
const asked = new Store<(Held & { isOpen: boolean; answer: (reason: string | undefined) => void }) | undefined>(
  undefined,
);

/** Shows whose access an operation would change. Returns the reason for which the operator confirms it, or undefined. */
export function askAboutHeld(held: Held): Promise<string | undefined> {
  return new Promise((resolve) => {
    const answer = (reason: string | undefined) => {
      asked.set({ ...held, answer, isOpen: false });
      resolve(reason);
    };
    asked.set({ ...held, answer, isOpen: true });
  });
}

export function HeldOperation() {
  const held = useStore(asked);
  const { people, total } = changedPeople(held?.result ?? {});
  return (
    <ConfirmDialog
      open={held?.isOpen ?? false}
      onOpenChange={(open) => !open && held?.answer(undefined)}
      title={`The access of ${formatCount(total)} people would change`}
      action="Confirm"
      danger
      reason="required"
      onConfirm={async (reason) => held?.answer(reason)}
    >
      <p>Nothing is changed yet: it would {String(held?.result?.held)}.</p>
      <ul className={styles.people} aria-label="People whose access would change">
        {people.slice(0, shown).map(({ identity_id: id, name, from, to }) => (
          <li key={id} className={styles.person}>
            <span dir="auto">{name ?? id}</span>
            <span className={styles.change}>
              <StatusBadge status={from} /> → <StatusBadge status={to} />
            </span>
          </li>
        ))}
      </ul>
      {total > shown && (
        <p>
          and {formatCount(total - shown)} more:{' '}
          <code>idsync operations items {held?.operationId} --list access_changes</code>
        </p>
      )}
    </ConfirmDialog>
  );
}
