import { Button } from '../../components/button';
import { SelectField, TextField } from '../../components/fields';
import { builtInKeys, type KeyRow, movedUp, type Normaliser, normaliserLabels } from './edit-rules';
import { EditableRows } from './editable-rows';
import styles from './rules.module.css';

interface KeyRowsProps {
  rows: readonly KeyRow[];
  isReadOnly: boolean;
  onChange: (rows: readonly KeyRow[]) => void;
}

export function KeyRows({ rows, isReadOnly, onChange }: KeyRowsProps) {
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
        {(row, set, remove, at) => (
          <>
            <TextField
              label={`Key ${at + 1}`}
              list="match-keys"
              readOnly={isReadOnly}
              value={row.field}
              onChange={(field) => set({ field })}
            />
            <SelectField
              label="Compared by"
              disabled={isReadOnly}
              value={row.normaliser ?? ''}
              choices={[
                { value: '', label: 'default' },
                ...Object.entries(normaliserLabels).map(([value, label]) => ({ value, label })),
              ]}
              onChange={(value) => set({ normaliser: (value || undefined) as Normaliser | undefined })}
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
                onChange={(value) => set({ strength: value as 'permanent' | 'reusable' })}
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
                {remove}
              </span>
            )}
          </>
        )}
      </EditableRows>
    </>
  );
}
