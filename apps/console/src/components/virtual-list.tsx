import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import styles from './virtual-list.module.css';

interface Rows {
  count: number;
  /** Height of a row before it is measured. */
  estimate: number;
  keyOf: (index: number) => string;
  /** Reads the next page, if there is one. */
  onEnd?: (() => unknown) | undefined;
}

const overscan = 12;
/** Pages without a new row that are read by themselves. */
const maxEmptyPages = 10;

/** The rows of a list of any length that are near the visible part of the window. `onEnd` is called when its end is near. */
export function useVisibleRows<Body extends HTMLElement>({ count, estimate, keyOf, onEnd }: Rows) {
  const body = useRef<Body>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const { y = 0 } = body.current?.getBoundingClientRect() ?? {};
    setTop(Math.round(y + scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    overscan,
    scrollMargin: top,
  });
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const read = useRef({ count, pages: 0 });
  useEffect(() => {
    if (read.current.count !== count) read.current = { count, pages: 0 };
    if (!onEnd || last < count - overscan || read.current.pages === maxEmptyPages) return;
    read.current.pages += 1;
    onEnd();
  }, [onEnd, last, count]);
  return {
    body,
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    rows: visible.map(({ index, key, start }) => ({ index, key, transform: `translateY(${start - top}px)` })),
  };
}

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
