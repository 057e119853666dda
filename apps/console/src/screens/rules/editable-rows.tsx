import type { ReactNode } from 'react';
import { Button, Icon } from '../../components/button';
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
  children: (row: Row, set: (change: Partial<Row>) => void, remove: ReactNode, at: number) => ReactNode;
}

/** Rows of fields whose order is their meaning, or which have no other identity while they are edited. */
export function EditableRows<Row>(props: EditableRowsProps<Row>) {
  const { label, rows, isReadOnly, className, nameOf, fresh, add, onChange, children } = props;
  const set = (at: number) => (change: Partial<Row>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
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
            {children(row, set(at), removeOf(row, at), at)}
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
