import { newUuid, requests } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { defaultPage, largestPage } from '../scim/scim-bounds.js';
import { ScimError } from '../scim/scim-error.js';
import { writeCursor } from '../shared/cursor.js';
import { pageResponse, readPage } from './read-page.js';

const position = { createdAt: 1_700_000_000_000, id: newUuid() };

describe('the page of a SCIM list', () => {
  it('begins at the first resource with the default count', () => {
    expect(readPage({})).toEqual({ limit: defaultPage, offset: 0, byCursor: false });
  });

  it.each([
    ['-1', 0],
    ['0', 0],
    ['1', 1],
    [String(largestPage), largestPage],
    [String(largestPage + 1), largestPage],
  ])('has for count=%s at most %d resources', (count, limit) => {
    expect(readPage({ count }).limit).toBe(limit);
  });

  it.each([
    ['-1', 0],
    ['0', 0],
    ['1', 0],
    ['2', 1],
  ])('begins for startIndex=%s at offset %d', (startIndex, offset) => {
    expect(readPage({ startIndex }).offset).toBe(offset);
  });

  it('of a filtered list ends at the largest offset, beyond which a cursor is needed', () => {
    const last = requests.maxChangesOffset + 1;
    const filter = 'active eq true';
    expect(readPage({ filter, startIndex: String(last) }).offset).toBe(requests.maxChangesOffset);
    expect(() => readPage({ filter, startIndex: String(last + 1) })).toThrow(
      `startIndex must be at most ${last} with a filter: use cursor`,
    );
    expect(readPage({ startIndex: String(last + 1) }).offset).toBe(last);
  });

  it('by cursor begins after its position, or at the beginning for an empty one', () => {
    expect(readPage({ cursor: writeCursor(position), startIndex: '5' })).toEqual({
      limit: defaultPage,
      offset: 0,
      after: position,
      byCursor: true,
    });
    expect(readPage({ cursor: '' })).toMatchObject({ offset: 0, byCursor: true });
    expect(readPage({ cursor: '' }).after).toBeUndefined();
  });

  it('with an invalid cursor is refused as a SCIM error', () => {
    expect(() => readPage({ cursor: 'no cursor' })).toThrow(ScimError);
  });
});

describe('the response with a page', () => {
  const found = { items: [], total: 9, next: position };

  it('by index has the total and the index of its first resource', () => {
    const page = { limit: 2, offset: 4, byCursor: false };
    const response = pageResponse([{ id: 'a' }], found, page);
    expect(response).toMatchObject({ totalResults: 9, startIndex: 5, itemsPerPage: 1, Resources: [{ id: 'a' }] });
    expect(response).not.toHaveProperty('nextCursor');
  });

  it('by cursor has no index, and the next cursor unless it is the last page', () => {
    const page = { limit: 2, offset: 0, byCursor: true };
    const response = pageResponse([{ id: 'a' }], found, page);
    expect(response).toMatchObject({ totalResults: 9, nextCursor: writeCursor(position) });
    expect(response).not.toHaveProperty('startIndex');
    expect(pageResponse([], { items: [], total: 9 }, page)).not.toHaveProperty('nextCursor');
  });
});
