import { expect, it } from '@jest/globals';
import { offsetPages } from './pages.js';

interface Page {
  data: number[];
  total: number;
  total_is_estimate?: boolean;
  offset: number;
}

it('reads the next page until the total is reached, or until a page is empty if there are more than it counts', () => {
  const pages = offsetPages<number, Page>(['numbers'], async (offset) => ({ data: [], total: 0, offset }));
  const next = (page: Page) => pages.getNextPageParam(page, [], 0, []);
  expect(next({ data: [1, 2], total: 5, offset: 2 })).toBe(4);
  expect(next({ data: [1], total: 5, offset: 4 })).toBeUndefined();
  expect(next({ data: [1], total: 5, total_is_estimate: true, offset: 4 })).toBe(5);
  expect(next({ data: [], total: 5, total_is_estimate: true, offset: 6 })).toBeUndefined();
});
