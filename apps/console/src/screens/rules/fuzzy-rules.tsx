import { Button } from '../../components/button';
import { SelectField, TextField } from '../../components/fields';
import type { Rules } from './edit-rules';
import { EditableRows } from './editable-rows';
import styles from './rules.module.css';

type Tier = Rules['weak'][number];
type Comparison = Tier['comparisons'][number];

interface FuzzyRulesProps {
  rules: readonly Tier[];
  isReadOnly: boolean;
  onChange: (rules: Tier[]) => void;
}

const fresh: Tier = {
  name: 'new rule',
  comparisons: [{ field: 'full_name', match: 'exact', weight: 1 }],
  propose_at: 1,
  when_unique: 'propose',
};
const share = { type: 'number', min: 0, max: 1, step: 0.05 } as const;

/** Rules for records that no key has linked; the first rule that finds a candidate decides. */
export function FuzzyRules({ rules, isReadOnly, onChange }: FuzzyRulesProps) {
  return (
    <div className={styles.form}>
      <p className={styles.note}>
        For records that no key has linked, in this order. The first rule that finds a candidate decides.
      </p>
      <EditableRows
        label="Fuzzy rules"
        rows={rules}
        isReadOnly={isReadOnly}
        className={styles.rule}
        nameOf={({ name }) => `the rule ${name}`}
        fresh={fresh}
        add="Add a rule"
        onChange={onChange}
      >
        {(rule, set, remove, at) => (
          <>
            <div className={styles.ruleHead}>
              <TextField
                label={`Rule ${at + 1}`}
                readOnly={isReadOnly}
                value={rule.name}
                onChange={(name) => set({ name })}
              />
              <TextField
                {...share}
                label="From a score of"
                readOnly={isReadOnly}
                value={String(rule.propose_at)}
                onChange={(text) => set({ propose_at: Number(text) })}
              />
              <SelectField
                label="One candidate"
                disabled={isReadOnly}
                value={rule.when_unique ?? 'propose'}
                choices={[
                  { value: 'propose', label: 'opens a case' },
                  { value: 'link', label: 'is linked' },
                ]}
                onChange={(value) => set({ when_unique: value as 'propose' | 'link' })}
              />
              {remove}
            </div>
            <Comparisons
              comparisons={rule.comparisons}
              isReadOnly={isReadOnly}
              onChange={(comparisons) => set({ comparisons })}
            />
          </>
        )}
      </EditableRows>
    </div>
  );
}

interface ComparisonsProps {
  comparisons: readonly Comparison[];
  isReadOnly: boolean;
  onChange: (comparisons: Comparison[]) => void;
}

function Comparisons({ comparisons, isReadOnly, onChange }: ComparisonsProps) {
  const add = () => onChange([...comparisons, { field: 'attributes.phone', match: 'exact', weight: 0.5 }]);
  return (
    <div className={styles.comparisons}>
      <EditableRows
        label="Compared fields"
        rows={comparisons}
        isReadOnly={isReadOnly}
        className={styles.comparison}
        nameOf={({ field }) => field}
        onChange={onChange}
      >
        {(comparison, set, remove, at) => (
          <>
            <TextField
              label="Field"
              readOnly={isReadOnly}
              value={comparison.field}
              onChange={(field) => set({ field })}
            />
            <SelectField
              label="Agrees"
              disabled={isReadOnly}
              value={comparison.match ?? 'exact'}
              choices={[
                { value: 'exact', label: 'exactly' },
                { value: 'fuzzy', label: 'nearly (full_name)' },
              ]}
              onChange={(value) => set({ match: value as 'exact' | 'fuzzy' })}
            />
            <TextField
              {...share}
              label="Weight"
              readOnly={isReadOnly}
              value={String(comparison.weight)}
              onChange={(text) => set({ weight: Number(text) })}
            />
            {!isReadOnly && (
              <span className={styles.acts}>
                {comparisons.length > 1 && remove}
                {at === comparisons.length - 1 && (
                  <Button look="quiet" small onClick={add}>
                    Add a field
                  </Button>
                )}
              </span>
            )}
          </>
        )}
      </EditableRows>
    </div>
  );
}
