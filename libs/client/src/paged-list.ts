/** A page of any list. */
interface AnyPage<Item> {
  data: Item[];
  /** Cursor of the next page; absent on the last one. */
  next_cursor?: string;
}

export interface Page<Item> extends AnyPage<Item> {
  total: number;
}

/**
 * A list that is read while it is iterated over, page by page with cursors: no item is skipped or repeated because others
 * change meanwhile. Each iteration starts from the beginning.
 */
export class PagedList<Item, OnePage extends AnyPage<Item> = Page<Item>> implements AsyncIterable<Item> {
  constructor(private readonly readPage: (cursor: string) => Promise<OnePage>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** Iterates over whole pages. Continues after the page that returned `cursor` as its `next_cursor`. */
  async *pages(cursor = ''): AsyncGenerator<OnePage, void, undefined> {
    for (let next: string | undefined = cursor; next !== undefined; ) {
      const page = await this.readPage(next);
      yield page;
      next = page.next_cursor;
    }
  }
}
