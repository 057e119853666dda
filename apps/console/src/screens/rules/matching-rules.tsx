import { useState } from 'react';
import { Button } from '../../components/button';
import { ConfirmButton } from '../../components/dialog';
import { SelectField } from '../../components/fields';
import { FormError, useSending } from '../../components/form';
import { Section } from '../../components/page';
import { call, type Operation, useTenantId } from '../../data/api';
import { operationDone } from '../../data/operations';
import { useMay } from '../../data/session';
import { builtInKeys, type KeyRow, movedUp, normaliserLabels, type Rules, rowsOf, withKeys } from './edit-rules';
import { EditableRows } from './editable-rows';
import { FuzzyRules } from './fuzzy-rules';
import { Preview } from './preview';
import styles from './rules.module.css';

/** Match keys and fuzzy rules. A change is previewed with the people it concerns before it is made. */
export function MatchingRules({ stored }: { stored: Rules }) {
  const tenantId = useTenantId();
  const mayChange = useMay('admin');
  const mayPreview = useMay('operator');
  const [rules, setRules] = useState<Rules>(stored);
  const [preview, setPreview] = useState<{ rules: Rules; operation: Operation }>();
  const { error, isSending, send } = useSending();
  const isChanged = JSON.stringify(rules) !== JSON.stringify(stored);
  const isPreviewed = preview !== undefined && preview.rules === rules;
  const ids = { tenantId };
  const show = () =>
    send(async () => {
      const asked = await call('POST /matching-rules/preview', ids, rules);
      const operation = await operationDone(tenantId, asked);
      if (operation) setPreview({ rules, operation });
    });
  const apply = async () => {
    const answer = await call('PUT /matching-rules', ids, rules);
    await operationDone(tenantId, answer, 'The rules were changed.');
    setPreview(undefined);
  };
  const stopValues = rules.stop_values.reduce((sum, { values }) => sum + values.length, 0);
  return (
    <>
      <Section title="Match keys">
        <div className={styles.form}>
          <p className={styles.note}>
            Records with the same value of a key are one person at once. The first key has the highest rank.
          </p>
          <KeyRows rows={rowsOf(rules)} isReadOnly={!mayPreview} onChange={(rows) => setRules(withKeys(rules, rows))} />
          {stopValues > 0 && <p className={styles.note}>{stopValues} values identify no person (stop values).</p>}
        </div>
      </Section>
      <Section title="Fuzzy rules">
        <FuzzyRules rules={rules.weak} isReadOnly={!mayPreview} onChange={(weak) => setRules({ ...rules, weak })} />
      </Section>
      <Section title="Several employments">
        <SelectField
          label="Users of one source with the same employee number"
          value={rules.several_employments}
          disabled={!mayPreview}
          choices={[
            { value: 'primary', label: 'are one person, who shows the primary employment' },
            { value: 'case', label: 'are a review case' },
          ]}
          onChange={(value) => setRules({ ...rules, several_employments: value as 'primary' | 'case' })}
        />
      </Section>
      <FormError>{error}</FormError>
      {mayPreview && (
        <div className={styles.bar}>
          <span className={styles.note}>
            {isChanged ? 'Not applied yet.' : 'No change.'} {isChanged && !isPreviewed && 'Preview it to apply it.'}
          </span>
          <Button disabled={!isChanged} onClick={() => setRules(stored)}>
            Discard
          </Button>
          <Button look={isPreviewed ? 'plain' : 'primary'} disabled={!isChanged || isSending} onClick={show}>
            {isSending ? 'Comparing…' : 'Preview'}
          </Button>
          {mayChange && (
            <ConfirmButton
              label="Apply…"
              look="primary"
              disabled={!isPreviewed || !isChanged}
              title="Change the matching rules?"
              action="Apply"
              refresh={[]}
              onConfirm={apply}
            >
              <p>All records are matched again, as the preview shows. Manually linked records stay.</p>
            </ConfirmButton>
          )}
        </div>
      )}
      {preview && <Preview operation={preview.operation} isOutdated={!isPreviewed} />}
    </>
  );
}

const strengths = { reusable: 'reusable, like an address', permanent: 'permanent, like an employee number' };

interface KeyRowsProps {
  rows: readonly KeyRow[];
  isReadOnly: boolean;
  onChange: (rows: readonly KeyRow[]) => void;
}

function KeyRows({ rows, isReadOnly, onChange }: KeyRowsProps) {
  return (
    <>
      <datalist id="match-keys">
        {[...builtInKeys, 'attributes.'].map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <EditableRows
        label="Match keys"
        rows={rows}
        isReadOnly={isReadOnly}
        className={styles.key}
        nameOf={({ field }) => field}
        fresh={{ field: 'attributes.' }}
        add="Add a key"
        onChange={onChange}
      >
        {(row, { text, choice }, remove, at) => (
          <>
            {text(`Key ${at + 1}`, 'field', { list: 'match-keys' })}
            {choice('Compared by', 'normaliser', { '': 'default', ...normaliserLabels })}
            {builtInKeys.includes(row.field) ? <span /> : choice('Strength', 'strength', strengths)}
            {!isReadOnly && (
              <span className={styles.acts}>
                <Button
                  look="quiet"
                  small
                  disabled={at === 0}
                  aria-label={`Move ${row.field} up`}
                  onClick={() => onChange(movedUp(rows, at))}
                >
                  Up
                </Button>
                {remove}
              </span>
            )}
          </>
        )}
      </EditableRows>
    </>
  );
}
