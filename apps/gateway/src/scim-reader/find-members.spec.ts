import { newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { describe, expect, it } from '@jest/globals';
import { ScimError } from '../scim/scim-error.js';
import { findMembers, maxMembers } from './find-resources.js';

/** A database whose group has this many members. */
function databaseWith(members: number): Database {
  let read = 0;
  return {
    read: async (_: string, { values }: { values: unknown[] }) => {
      const count = Math.min(Number(values[1]), members - read);
      const items = Array.from({ length: count }, (_item, at) => JSON.stringify({ id: `usr_${read + at}` })).join(',');
      read += count;
      return [{ items, count, isCut: false, total: members, at: count > 0 ? new Date(read) : null, id: newUuid() }];
    },
  } as unknown as Database;
}

describe('the members of a group', () => {
  it('are read page by page', async () => {
    const members = await findMembers(databaseWith(450), newUuid(), newUuid());
    expect(members.map(({ id }) => id)).toEqual(Array.from({ length: 450 }, (_, at) => `usr_${at}`));
  });

  it('are at most 2000 in one response', async () => {
    expect(await findMembers(databaseWith(maxMembers), newUuid(), newUuid())).toHaveLength(2_000);
    await expect(findMembers(databaseWith(maxMembers + 1), newUuid(), newUuid())).rejects.toBeInstanceOf(ScimError);
  });
});
