import type { ComponentProps, ReactNode } from 'react';
import { Button, Icon } from '../../components/button';
import { SelectField, TextField } from '../../components/fields';
import styles from './rules.module.css';

interface EditableRowsProps<Row> {
  label: string;
  rows: readonly Row[];
  isReadOnly: boolean;
  className: string | undefined;
  /** The name of a row on its button to remove it. */
  nameOf: (row: Row) => string;
  /** The row that a button below adds; absent if none can be added there. */
  fresh?: Row | undefined;
  add?: string;
  onChange: (rows: Row[]) => void;
  children: (row: Row, fields: RowFields<Row>, remove: ReactNode, at: number) => ReactNode;
}

type More = Partial<ComponentProps<typeof TextField>>;

interface RowFields<Row> {
  set: (change: Partial<Row>) => void;
  text: (label: string, name: keyof Row & string, more?: More) => ReactNode;
  number: (label: string, name: keyof Row & string, more?: More) => ReactNode;
  /** Of a value without an entry, the first choice is shown. */
  choice: (label: string, name: keyof Row & string, choices: Readonly<Record<string, string>>) => ReactNode;
}

/** Rows of fields whose order is their meaning, or which have no other identity while they are edited. */
export function EditableRows<Row>(props: EditableRowsProps<Row>) {
  const { label, rows, isReadOnly, className, nameOf, fresh, add, onChange, children } = props;
  const set = (at: number) => (change: Partial<Row>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  const fieldsOf = (row: Row, at: number): RowFields<Row> => {
    const change = (name: keyof Row) => (value: unknown) => set(at)({ [name]: value } as Partial<Row>);
    const text = (label: string, name: keyof Row, more?: More) => (
      <TextField onChange={change(name)} {...more} label={label} readOnly={isReadOnly} value={String(row[name])} />
    );
    return {
      set: set(at),
      text,
      number: (label, name, more) =>
        text(label, name, { ...more, type: 'number', onChange: (typed) => change(name)(Number(typed)) }),
      choice: (label, name, choices) => (
        <SelectField
          label={label}
          disabled={isReadOnly}
          value={String(row[name] ?? Object.keys(choices)[0])}
          choices={Object.entries(choices).map(([value, shown]) => ({ value, label: shown }))}
          onChange={(value) => change(name)(value || undefined)}
        />
      ),
    };
  };
  const removeOf = (row: Row, at: number) =>
    !isReadOnly && (
      <Button look="quiet" small aria-label={`Remove ${nameOf(row)}`} onClick={() => onChange(rows.toSpliced(at, 1))}>
        Remove
      </Button>
    );
  return (
    <>
      <ol className={styles.rows} aria-label={label}>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <li key={at} className={className}>
            {children(row, fieldsOf(row, at), removeOf(row, at), at)}
          </li>
        ))}
      </ol>
      {!isReadOnly && add && (
        <div>
          <Button small disabled={fresh === undefined} onClick={() => fresh && onChange([...rows, fresh])}>
            <Icon name="plus" size={14} />
            {add}
          </Button>
        </div>
      )}
    </>
  );
}
