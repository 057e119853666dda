import { infiniteQueryOptions } from '@tanstack/react-query';

interface CursorPage<Item> {
  data: Item[];
  next_cursor?: string;
  total?: number;
  total_is_estimate?: boolean;
}
interface OffsetPage<Item> {
  data: Item[];
  total: number;
  total_is_estimate?: boolean;
  offset: number;
}

/** A list that is read page by page with cursors. */
export function cursorPages<Item, Page extends CursorPage<Item>>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined) => Promise<Page & CursorPage<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** A list of the operator API that has no cursors. */
export function offsetPages<Item, Page extends OffsetPage<Item>>(
  queryKey: readonly unknown[],
  read: (offset: number) => Promise<Page & OffsetPage<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ data, offset, total, total_is_estimate: hasMore }) =>
      data.length > 0 && (hasMore || offset + data.length < total) ? offset + data.length : undefined,
  });
}

export function itemsOf<Item>(pages: { pages: { data: Item[] }[] } | undefined): Item[] {
  return pages?.pages.flatMap(({ data }) => data) ?? [];
}
