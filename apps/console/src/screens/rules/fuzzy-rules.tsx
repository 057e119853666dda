import { Button } from '../../components/button';
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
const share = { min: 0, max: 1, step: 0.05 } as const;

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
        {(rule, { set, text, number, choice }, remove, at) => (
          <>
            <div className={styles.ruleHead}>
              {text(`Rule ${at + 1}`, 'name')}
              {number('From a score of', 'propose_at', share)}
              {choice('One candidate', 'when_unique', { propose: 'opens a case', link: 'is linked' })}
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
        {(_comparison, { text, number, choice }, remove, at) => (
          <>
            {text('Field', 'field')}
            {choice('Agrees', 'match', { exact: 'exactly', fuzzy: 'nearly (full_name)' })}
            {number('Weight', 'weight', share)}
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
