import { newUuid, requests } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { expect, it } from '@jest/globals';
import { documentPage } from './document-page.js';

it.each([
  { offset: 0, cursor: undefined },
  { offset: 5, cursor: '' },
])('a page without items after all that one request examines says where to go on: %j', async (given) => {
  expect(JSON.parse(await pageOf(given))).toMatchObject({ data: [], next_cursor: expect.any(String) });
});

it('a page is refused if its offset is beyond all that one request examines', async () => {
  await expect(pageOf({ offset: 5, cursor: undefined })).rejects.toThrow(/^offset .* use cursor instead$/);
});

/** A page of a list of which no examined row fulfils all filters. */
function pageOf(given: { offset: number; cursor: string | undefined }): Promise<string> {
  const row = { items: null, count: 0, isCut: true, total: 3, isEstimate: true, at: new Date(), id: newUuid() };
  const database = { read: async () => [row] } as unknown as Database;
  const query = { ...requests.accountQuery.parse({ q: 'ann' }), ...given };
  return documentPage(database, newUuid(), 'account', query);
}
