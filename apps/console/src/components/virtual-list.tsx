import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
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

const overscan = 8;

/** A list of any length whose items have different heights; only visible ones are in the document. */
export function VirtualList<Item>({ label, items, itemKey, estimate, onEnd, children }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const { y = 0 } = list.current?.getBoundingClientRect() ?? {};
    setTop(Math.round(y + scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    getItemKey: (index) => itemKey(items[index] as Item),
    overscan,
    scrollMargin: top,
  });
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && last >= items.length - overscan) onEnd();
  }, [onEnd, last, items.length]);
  return (
    <ul ref={list} aria-label={label} className={styles.list} style={{ height: virtualizer.getTotalSize() }}>
      {visible.map(({ index, key, start }) => (
        <li
          key={key}
          ref={virtualizer.measureElement}
          data-index={index}
          aria-setsize={onEnd ? -1 : items.length}
          aria-posinset={index + 1}
          className={styles.item}
          style={{ transform: `translateY(${start - top}px)` }}
        >
          {children(items[index] as Item)}
        </li>
      ))}
    </ul>
  );
}
