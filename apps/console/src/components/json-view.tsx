import { useState } from 'react';
import { Button, Icon } from './button';
import { bracketsOf, countOf, entriesOf, isOpenAt, type JsonEntry, jsonOf } from './json-nodes';
import styles from './json-view.module.css';
import { copy } from './notices';

interface JsonViewProps {
  value: unknown;
  label: string;
  /** Copied in place of the indented text: the exact bytes. */
  raw?: string;
  /** How many levels of a long value are open; by default two. */
  levels?: number;
}

/** JSON as a tree of objects and arrays that can be closed, with a button that copies all of it. */
export function JsonView({ value, label, raw, levels }: JsonViewProps) {
  const text = JSON.stringify(value, null, 2) ?? '';
  // Absent: as the length of the text decides. The turn makes new nodes, which forget what was toggled.
  const [all, setAll] = useState<{ open?: boolean; turn: number }>({ turn: 0 });
  const hasLevels = entriesOf(value)?.some(({ value: inner }) => entriesOf(inner)?.length) ?? false;
  const openAll = (open: boolean) => setAll({ open, turn: all.turn + 1 });
  return (
    <div className={styles.view}>
      <div className={styles.actions}>
        {hasLevels && (
          <>
            <Button look="quiet" small aria-label={`Expand all of ${label}`} onClick={() => openAll(true)}>
              Expand
            </Button>
            <Button look="quiet" small aria-label={`Collapse all of ${label}`} onClick={() => openAll(false)}>
              Collapse
            </Button>
          </>
        )}
        <Button look="quiet" small iconOnly aria-label={`Copy ${label}`} onClick={() => copy(raw ?? text, 'JSON')}>
          <Icon name="copy" size={14} />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={styles.text} tabIndex={0} aria-label={label}>
        <JsonNode
          key={all.turn}
          value={value}
          isOpenAt={(depth) => (all.open === undefined ? isOpenAt(depth, text, levels) : all.open || depth === 0)}
        />
      </section>
    </div>
  );
}

interface JsonNodeProps extends JsonEntry {
  depth?: number;
  isLast?: boolean;
  /** Whether objects and arrays at a depth are open until they are toggled. */
  isOpenAt: (depth: number) => boolean;
}

/** A value of JSON. Objects and arrays are opened and closed, also by the keyboard; a closed one has the count of its entries. */
function JsonNode({ name, value, depth = 0, isLast = true, isOpenAt }: JsonNodeProps) {
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

/** A body as it was sent: a tree if it is JSON, else its text. Its exact bytes are copied. */
export function BodyView({ label, body }: { label: string; body: string }) {
  const value = jsonOf(body);
  return value ? <JsonView label={label} value={value} raw={body} /> : <CodeBlock label={label} text={body} />;
}

/** Text in a region that scrolls, with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <div className={styles.code}>
      <Button look="quiet" small iconOnly aria-label={`Copy ${label}`} onClick={() => copy(text, label)}>
        <Icon name="copy" size={14} />
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
