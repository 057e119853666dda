import { useState } from 'react';
import { Button } from './button';
import { bracketsOf, countOf, entriesOf, type JsonEntry } from './json-nodes';
import styles from './json-tree.module.css';

interface JsonNodeProps extends JsonEntry {
  depth?: number;
  isLast?: boolean;
  /** Whether objects and arrays at a depth are open until they are toggled. */
  isOpenAt: (depth: number) => boolean;
}

/** A value of JSON. Objects and arrays are opened and closed, also by the keyboard; a closed one has the count of its entries. */
export function JsonNode({ name, value, depth = 0, isLast = true, isOpenAt }: JsonNodeProps) {
  const [isOpen, setOpen] = useState(() => isOpenAt(depth));
  const entries = entriesOf(value);
  const [begin, end] = bracketsOf(value);
  const comma = isLast ? '' : ',';
  if (!entries?.length)
    return (
      <div className={styles.line}>
        <Key name={name} />
        {entries ? begin + end : <Scalar value={value} />}
        {comma}
      </div>
    );
  return (
    <details className={styles.node} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.line}>
        <Key name={name} />
        {begin}
        {!isOpen && (
          <>
            <span className={styles.count}>{countOf(entries)}</span>
            {end}
            {comma}
          </>
        )}
      </summary>
      {/* What is closed is not rendered, because a body may have thousands of entries. */}
      {isOpen && (
        <>
          <Entries entries={entries} depth={depth + 1} isOpenAt={isOpenAt} />
          <div className={styles.line}>
            {end}
            {comma}
          </div>
        </>
      )}
    </details>
  );
}

const step = 100;

interface EntriesProps {
  entries: readonly JsonEntry[];
  depth: number;
  isOpenAt: (depth: number) => boolean;
}

function Entries({ entries, depth, isOpenAt }: EntriesProps) {
  const [shown, setShown] = useState(step);
  const rest = entries.length - shown;
  return (
    <div className={styles.entries}>
      {entries.slice(0, shown).map((entry, index) => (
        <JsonNode
          key={entry.name ?? index}
          {...entry}
          depth={depth}
          isLast={index === entries.length - 1}
          isOpenAt={isOpenAt}
        />
      ))}
      {rest > 0 && (
        <Button small onClick={() => setShown(shown + step)}>
          Show {Math.min(step, rest)} more of {rest}
        </Button>
      )}
    </div>
  );
}

function Key({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span className={styles.key}>{JSON.stringify(name)}</span>
      {': '}
    </>
  );
}

function Scalar({ value }: { value: unknown }) {
  return (
    <span className={typeof value === 'string' ? styles.string : styles.other} dir="auto">
      {JSON.stringify(value) ?? 'null'}
    </span>
  );
}
