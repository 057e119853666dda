import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmButton } from '../../components/dialog';
import { SelectField, TextField } from '../../components/fields';
import { IdLink } from '../../components/links';
import { EmptyState, Section } from '../../components/page';
import { type Connector, call, useTenantId } from '../../data/api';
import { operationDone } from '../../data/operations';
import { useMay } from '../../data/session';
import type { Precedence } from './edit-rules';
import { EditableRows } from './editable-rows';
import styles from './rules.module.css';

type Rank = Precedence['priorities'][number];

/** The order of the sources, and fields that follow another one. */
export function PrecedenceForm({ stored, sources }: { stored: Precedence; sources: readonly Connector[] }) {
  const tenantId = useTenantId();
  const mayChange = useMay('admin');
  const [ranks, setRanks] = useState<readonly Rank[]>(stored.priorities);
  const isChanged = JSON.stringify(ranks) !== JSON.stringify(stored.priorities);
  const apply = async () => {
    const answer = await call('PUT /attribute-priorities', { tenantId }, { priorities: [...ranks] });
    await operationDone(tenantId, answer, 'The source precedence was changed.');
  };
  return (
    <>
      <Section title="Order of the sources">
        <ol className={styles.order}>
          {sources
            .toSorted((a, b) => a.priority - b.priority)
            .map(({ id, name, priority }) => (
              <li key={id}>
                <span className={styles.number}>{priority}</span>
                <IdLink id={id} dir="auto">
                  {name}
                </IdLink>
              </li>
            ))}
        </ol>
      </Section>
      <Section title="Fields with another order">
        <div className={styles.form}>
          <p className={styles.note}>
            The lowest number wins. A field without an entry follows the order of the sources; * stands for all fields.
          </p>
          {ranks.length === 0 && (
            <EmptyState title="No exception">All fields follow the order of the sources.</EmptyState>
          )}
          <EditableRows
            label="Exceptions"
            rows={ranks}
            isReadOnly={!mayChange}
            className={styles.key}
            nameOf={({ field }) => field}
            fresh={sources[0] && { field: 'job_title', connector_id: sources[0].id, priority: 1 }}
            add="Add a field"
            onChange={setRanks}
          >
            {(rank, set, remove) => (
              <>
                <TextField
                  label="Field"
                  readOnly={!mayChange}
                  value={rank.field}
                  onChange={(field) => set({ field })}
                />
                <SelectField
                  label="Source"
                  disabled={!mayChange}
                  value={rank.connector_id}
                  choices={sources.map(({ id, name }) => ({ value: id, label: name }))}
                  onChange={(connector_id) => set({ connector_id })}
                />
                <TextField
                  label="Priority"
                  type="number"
                  min={0}
                  readOnly={!mayChange}
                  value={String(rank.priority)}
                  onChange={(text) => set({ priority: Number(text) })}
                />
                {remove && <span className={styles.acts}>{remove}</span>}
              </>
            )}
          </EditableRows>
        </div>
      </Section>
      {mayChange && (
        <div className={styles.bar}>
          <span className={styles.note}>{isChanged ? 'Not applied yet.' : 'No change.'}</span>
          <Button disabled={!isChanged} onClick={() => setRanks(stored.priorities)}>
            Discard
          </Button>
          <ConfirmButton
            label="Apply…"
            look="primary"
            disabled={!isChanged}
            title="Change the source precedence?"
            action="Apply"
            refresh={[]}
            onConfirm={apply}
          >
            <p>
              The winning values of all people are computed again. No record is lost: every source keeps its values.
            </p>
          </ConfirmButton>
        </div>
      )}
    </>
  );
}
