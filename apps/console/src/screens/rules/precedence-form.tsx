import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { SelectField, TextField } from '../../components/fields';
import { Icon } from '../../components/icon';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { useMay } from '../../data/access';
import { type Connector, call } from '../../data/api';
import { operationDone } from '../../data/operations';
import styles from './rules.module.css';
import type { Precedence } from './rules-queries';

type Rank = Precedence['priorities'][number];

interface PrecedenceFormProps {
  tenantId: string;
  stored: Precedence;
  sources: readonly Connector[];
}

/** The order of the sources, and fields that follow another one. */
export function PrecedenceForm({ tenantId, stored, sources }: PrecedenceFormProps) {
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const [ranks, setRanks] = useState<readonly Rank[]>(stored.priorities);
  const [isAsked, setAsked] = useState(false);
  const isChanged = JSON.stringify(ranks) !== JSON.stringify(stored.priorities);
  const set = (at: number, change: Partial<Rank>) =>
    setRanks(ranks.map((rank, index) => (index === at ? { ...rank, ...change } : rank)));
  const apply = async () => {
    const answer = await call('PUT /attribute-priorities', { tenantId }, { priorities: [...ranks] });
    await operationDone(tenantId, answer, 'The source precedence was changed.');
    await client.invalidateQueries();
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
                <Link
                  from="/$tenantId/rules"
                  to="/$tenantId/sources/$connectorId"
                  params={{ connectorId: id }}
                  dir="auto"
                >
                  {name}
                </Link>
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
          <ul className={styles.rows} aria-label="Exceptions">
            {ranks.map((rank, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while it is edited
              <li key={at} className={styles.key}>
                <TextField
                  label="Field"
                  spellCheck={false}
                  readOnly={!mayChange}
                  value={rank.field}
                  onChange={(field) => set(at, { field })}
                />
                <SelectField
                  label="Source"
                  disabled={!mayChange}
                  value={rank.connector_id}
                  choices={sources.map(({ id, name }) => ({ value: id, label: name }))}
                  onChange={(connector_id) => set(at, { connector_id })}
                />
                <TextField
                  label="Priority"
                  type="number"
                  min={0}
                  readOnly={!mayChange}
                  value={String(rank.priority)}
                  onChange={(text) => set(at, { priority: Number(text) })}
                />
                {mayChange && (
                  <span className={styles.acts}>
                    <Button
                      look="quiet"
                      small
                      aria-label={`Remove ${rank.field}`}
                      onClick={() => setRanks(ranks.toSpliced(at, 1))}
                    >
                      Remove
                    </Button>
                  </span>
                )}
              </li>
            ))}
          </ul>
          {mayChange && (
            <div>
              <Button
                small
                disabled={sources.length === 0}
                onClick={() =>
                  setRanks([...ranks, { field: 'job_title', connector_id: sources[0]?.id ?? '', priority: 1 }])
                }
              >
                <Icon name="plus" size={14} />
                Add a field
              </Button>
            </div>
          )}
        </div>
      </Section>
      {mayChange && (
        <div className={styles.bar}>
          <span className={styles.note}>{isChanged ? 'Not applied yet.' : 'No change.'}</span>
          <Button disabled={!isChanged} onClick={() => setRanks(stored.priorities)}>
            Discard
          </Button>
          <Button look="primary" disabled={!isChanged} onClick={() => setAsked(true)}>
            Apply…
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title="Change the source precedence?"
        action="Apply"
        onConfirm={apply}
      >
        <p>The winning values of all people are computed again. No record is lost: every source keeps its values.</p>
      </ConfirmDialog>
    </>
  );
}
