import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/dialog';
import { SearchField } from '../../components/fields';
import { StatusBadge } from '../../components/values';
import { shownValue } from '../../components/words';
import { call, type Identity, read, useTenantId } from '../../data/api';
import { operationDone } from '../../data/operations';
import { attributeOf, machineOf, nameOf, recordCounts } from '../../data/person';
import styles from './merge-dialog.module.css';
import table from './records.module.css';
import { mergedValues } from './winning-values';

interface MergeDialogProps {
  /** The person who stays. */
  identity: Identity;
  onClose: () => void;
}

const fewest = 2;
const shown = 6;

/** Finds the other record of the same person, and shows how the merged person would be. */
export function MergeDialog({ identity, onClose }: MergeDialogProps) {
  const tenantId = useTenantId();
  const [other, setOther] = useState<Identity>();
  const name = nameOf(identity);
  const merge = async (reason: string | undefined) => {
    if (!other) return;
    const operation = await call(
      'POST /identities/{identityId}/merge',
      { tenantId, identityId: identity.id },
      { from_ids: [other.id], reason },
    );
    await operationDone(tenantId, operation, `${nameOf(other)} was merged into ${name}. The history can revert it.`);
  };
  return (
    <ConfirmDialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={`Merge another person into ${name}`}
      action="Merge"
      reason="required"
      isComplete={other !== undefined}
      refresh={[]}
      onConfirm={merge}
      fields={
        other ? (
          <Preview stays={identity} goes={other} onBack={() => setOther(undefined)} />
        ) : (
          <PersonChooser without={identity.id} onChoose={setOther} />
        )
      }
    >
      <p>
        All records of the other person move here and stay linked. The id of the other person then returns this person.
        A merge can be reverted.
      </p>
    </ConfirmDialog>
  );
}

function PersonChooser({ without, onChoose }: { without: string; onChoose: (identity: Identity) => void }) {
  const tenantId = useTenantId();
  const [text, setText] = useState('');
  const noteId = useId();
  const { data, isFetching } = useQuery({
    ...read('people', 'GET /identities', { tenantId }, { q: text, limit: shown + 1 }),
    enabled: text.trim().length >= fewest,
    placeholderData: (old) => old,
  });
  const found =
    text.trim().length >= fewest ? (data?.data ?? []).filter((each) => each.id !== without && !machineOf(each)) : [];
  const note =
    text.trim().length < fewest
      ? 'Search by name, mail, number, login or id.'
      : found.length === 0 && !isFetching
        ? data?.next_cursor === undefined
          ? `Nobody else is found for “${text.trim()}”.`
          : 'Nobody is found so far, but there may be more: type more of it.'
        : '';
  return (
    <div className={styles.chooser}>
      <SearchField label="The other person" value={text} onChange={setText} autoFocus />
      <ul className={styles.found} aria-label="People found" aria-describedby={noteId}>
        {found.slice(0, shown).map((each) => (
          <li key={each.id}>
            <button type="button" className={styles.person} onClick={() => onChoose(each)}>
              <span className={styles.name} dir="auto">
                {nameOf(each)}
              </span>
              <span className={styles.about} dir="auto">
                {[attributeOf(each, 'job_title'), attributeOf(each, 'email')].filter(Boolean).join(' · ')}
              </span>
              <StatusBadge status={each.status} />
            </button>
          </li>
        ))}
      </ul>
      <p id={noteId} className={styles.note} role="status">
        {note}
      </p>
    </div>
  );
}

function Preview({ stays, goes, onBack }: { stays: Identity; goes: Identity; onBack: () => void }) {
  const rows = mergedValues(stays, goes);
  const differing = rows.filter(({ own, other }) => own !== undefined && other !== undefined && own !== other).length;
  const numbers = [attributeOf(stays, 'employee_number'), attributeOf(goes, 'employee_number')];
  return (
    <div className={styles.preview}>
      <div className={styles.summary}>
        <p>
          <strong dir="auto">{nameOf(goes)}</strong> brings {recordCounts(goes).words.join(' and ')}.{' '}
          {differing === 0
            ? 'No value differs.'
            : `${differing} ${differing === 1 ? 'value differs' : 'values differ'}.`}
        </p>
        <Button small onClick={onBack}>
          Choose another
        </Button>
      </div>
      {numbers[0] && numbers[1] && numbers[0] !== numbers[1] && (
        <p className={styles.warning}>
          They have different employee numbers, {numbers[0]} and {numbers[1]}: they may be two people.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={styles.values} tabIndex={0} aria-label="Preview of the merged person">
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">This person</th>
              <th scope="col">The other person</th>
              <th scope="col">After the merge</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ field, own, other, merged }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td dir="auto" className={own !== undefined && own !== merged ? table.differs : undefined}>
                  {shownValue(own)}
                </td>
                <td dir="auto" className={other !== undefined && other !== merged ? table.differs : undefined}>
                  {shownValue(other)}
                </td>
                <td dir="auto" className={own === merged ? undefined : table.wins}>
                  {shownValue(merged)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
