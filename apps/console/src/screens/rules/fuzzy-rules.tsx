import { Button } from '../../components/button';
import { SelectField, TextField } from '../../components/fields';
import { Icon } from '../../components/icon';
import styles from './rules.module.css';
import type { Rules } from './rules-queries';

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

/** Rules for records that no key has linked; the first rule that finds a candidate decides. */
export function FuzzyRules({ rules, isReadOnly, onChange }: FuzzyRulesProps) {
  const set = (at: number, change: Partial<Tier>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...change } : rule)));
  return (
    <div className={styles.form}>
      <p className={styles.note}>
        For records that no key has linked, in this order. The first rule that finds a candidate decides.
      </p>
      <ol className={styles.rows} aria-label="Fuzzy rules">
        {rules.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the rules is their meaning
          <li key={at} className={styles.rule}>
            <div className={styles.ruleHead}>
              <TextField
                label={`Rule ${at + 1}`}
                readOnly={isReadOnly}
                value={rule.name}
                onChange={(name) => set(at, { name })}
              />
              <TextField
                label="From a score of"
                type="number"
                min={0}
                max={1}
                step={0.05}
                readOnly={isReadOnly}
                value={String(rule.propose_at)}
                onChange={(text) => set(at, { propose_at: Number(text) })}
              />
              <SelectField
                label="One candidate"
                disabled={isReadOnly}
                value={rule.when_unique ?? 'propose'}
                choices={[
                  { value: 'propose', label: 'opens a case' },
                  { value: 'link', label: 'is linked' },
                ]}
                onChange={(value) => set(at, { when_unique: value as 'propose' | 'link' })}
              />
              {!isReadOnly && (
                <Button
                  look="quiet"
                  small
                  aria-label={`Remove the rule ${rule.name}`}
                  onClick={() => onChange(rules.toSpliced(at, 1))}
                >
                  Remove
                </Button>
              )}
            </div>
            <Comparisons
              comparisons={rule.comparisons}
              isReadOnly={isReadOnly}
              onChange={(comparisons) => set(at, { comparisons })}
            />
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <div>
          <Button small onClick={() => onChange([...rules, fresh])}>
            <Icon name="plus" size={14} />
            Add a rule
          </Button>
        </div>
      )}
    </div>
  );
}

function Comparisons({
  comparisons,
  isReadOnly,
  onChange,
}: {
  comparisons: readonly Comparison[];
  isReadOnly: boolean;
  onChange: (comparisons: Comparison[]) => void;
}) {
  const set = (at: number, change: Partial<Comparison>) =>
    onChange(comparisons.map((each, index) => (index === at ? { ...each, ...change } : each)));
  return (
    <ul className={styles.comparisons} aria-label="Compared fields">
      {comparisons.map((comparison, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: fields have no other identity while they are edited
        <li key={at} className={styles.comparison}>
          <TextField
            label="Field"
            spellCheck={false}
            readOnly={isReadOnly}
            value={comparison.field}
            onChange={(field) => set(at, { field })}
          />
          <SelectField
            label="Agrees"
            disabled={isReadOnly}
            value={comparison.match ?? 'exact'}
            choices={[
              { value: 'exact', label: 'exactly' },
              { value: 'fuzzy', label: 'nearly (full_name)' },
            ]}
            onChange={(value) => set(at, { match: value as 'exact' | 'fuzzy' })}
          />
          <TextField
            label="Weight"
            type="number"
            min={0}
            max={1}
            step={0.05}
            readOnly={isReadOnly}
            value={String(comparison.weight)}
            onChange={(text) => set(at, { weight: Number(text) })}
          />
          {!isReadOnly && (
            <span className={styles.acts}>
              {comparisons.length > 1 && (
                <Button
                  look="quiet"
                  small
                  aria-label={`Remove ${comparison.field}`}
                  onClick={() => onChange(comparisons.toSpliced(at, 1))}
                >
                  Remove
                </Button>
              )}
              {at === comparisons.length - 1 && (
                <Button
                  look="quiet"
                  small
                  onClick={() => onChange([...comparisons, { field: 'attributes.phone', match: 'exact', weight: 0.5 }])}
                >
                  Add a field
                </Button>
              )}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
