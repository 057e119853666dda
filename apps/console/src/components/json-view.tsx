import { useState } from 'react';
import { Button } from './button';
import { copy } from './copy';
import { Icon } from './icon';
import { entriesOf, isOpenAt } from './json-nodes';
import { JsonNode } from './json-tree';
import styles from './json-view.module.css';

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
