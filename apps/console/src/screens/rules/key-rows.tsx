import { Button } from '../../components/button';
import { SelectField, TextField } from '../../components/fields';
import { Icon } from '../../components/icon';
import { builtInKeys, type KeyRow, movedUp, type Normaliser, normaliserLabels } from './edit-rules';
import styles from './rules.module.css';

interface KeyRowsProps {
  rows: readonly KeyRow[];
  isReadOnly: boolean;
  onChange: (rows: readonly KeyRow[]) => void;
}

export function KeyRows({ rows, isReadOnly, onChange }: KeyRowsProps) {
  const set = (at: number, change: Partial<KeyRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <>
      <datalist id="match-keys">
        {[...builtInKeys, 'attributes.'].map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <ol className={styles.rows} aria-label="Match keys">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rank of a key is its position
          <li key={at} className={styles.key}>
            <TextField
              label={`Key ${at + 1}`}
              list="match-keys"
              spellCheck={false}
              readOnly={isReadOnly}
              value={row.field}
              onChange={(field) => set(at, { field })}
            />
            <SelectField
              label="Compared by"
              disabled={isReadOnly}
              value={row.normaliser ?? ''}
              choices={[
                { value: '', label: 'default' },
                ...Object.entries(normaliserLabels).map(([value, label]) => ({ value, label })),
              ]}
              onChange={(value) => set(at, { normaliser: (value || undefined) as Normaliser | undefined })}
            />
            {builtInKeys.includes(row.field) ? (
              <span />
            ) : (
              <SelectField
                label="Strength"
                disabled={isReadOnly}
                value={row.strength ?? 'reusable'}
                choices={[
                  { value: 'reusable', label: 'reusable, like an address' },
                  { value: 'permanent', label: 'permanent, like an employee number' },
                ]}
                onChange={(value) => set(at, { strength: value as 'permanent' | 'reusable' })}
              />
            )}
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
                <Button
                  look="quiet"
                  small
                  aria-label={`Remove ${row.field}`}
                  onClick={() => onChange(rows.toSpliced(at, 1))}
                >
                  Remove
                </Button>
              </span>
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <div>
          <Button small onClick={() => onChange([...rows, { field: 'attributes.' }])}>
            <Icon name="plus" size={14} />
            Add a key
          </Button>
        </div>
      )}
    </>
  );
}
