import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';

interface Rows {
  count: number;
  /** Height of a row before it is measured. */
  estimate: number;
  keyOf: (index: number) => string;
  /** Reads the next page, if there is one. */
  onEnd?: (() => unknown) | undefined;
}

const overscan = 12;

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
  useEffect(() => {
    if (onEnd && last >= count - overscan) onEnd();
  }, [onEnd, last, count]);
  return {
    body,
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    rows: visible.map(({ index, key, start }) => ({ index, key, transform: `translateY(${start - top}px)` })),
  };
}
