import type { ReactNode } from 'react';
import { useVisibleRows } from './use-visible-rows';
import styles from './virtual-list.module.css';

interface VirtualListProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  /** Height of an item before it is measured. */
  estimate: number;
  /** Reads the next page, if there is one. */
  onEnd?: () => unknown;
  children: (item: Item) => ReactNode;
}

/** A list of any length whose items have different heights; only visible ones are in the document. */
export function VirtualList<Item>({ label, items, itemKey, estimate, onEnd, children }: VirtualListProps<Item>) {
  const keyOf = (index: number) => itemKey(items[index] as Item);
  const { body, height, measure, rows } = useVisibleRows<HTMLUListElement>({
    count: items.length,
    estimate,
    keyOf,
    onEnd,
  });
  return (
    <ul ref={body} aria-label={label} className={styles.list} style={{ height }}>
      {rows.map(({ index, key, transform }) => (
        <li
          key={key}
          ref={measure}
          data-index={index}
          aria-setsize={onEnd ? -1 : items.length}
          aria-posinset={index + 1}
          className={styles.item}
          style={{ transform }}
        >
          {children(items[index] as Item)}
        </li>
      ))}
    </ul>
  );
}
