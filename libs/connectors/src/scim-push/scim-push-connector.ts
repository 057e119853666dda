import { decodeId, encodeId, type RecordKind, type ScimPushConfig, scimFields } from '@idsync/contracts';
import { z } from 'zod';
import { CheckpointExpired, type Connector, type Page, type ReadOptions } from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { parseCursor } from '../http/api-source.js';
import { mapRecord } from '../map-record.js';
import { scimReader } from '../scim/scim-values.js';
import { sourceNames } from '../transform.js';

/** A position in the pushed users: the number of a push, and the last user read. */
const placeShape = z.object({ position: z.int().nonnegative(), id: z.string() });
type Place = z.infer<typeof placeShape>;
/** `read` is the number of users before it, `begun` the number of the last push when the read started. */
const cursorShape = placeShape.extend({ read: z.int().nonnegative(), begun: z.int().nonnegative() });

/** A pushed user with `id` and `groups`. Without a document it was deleted. */
export interface PushedUser extends Place {
  document: object | undefined;
}

/** The users pushed to one connector, in the order of their last changes. */
export interface PushedUsers {
  /** Returns at most `limit` users, fewer if they are large. `last` if no users follow. */
  behind(
    place: Place,
    options: { limit: number; deletedToo: boolean },
  ): Promise<{ users: PushedUser[]; last: boolean }>;
  /** Returns a user; undefined if the id is unknown or the user was deleted. */
  one(id: string): Promise<PushedUser | undefined>;
  /** Returns the number of the last push, and the number up to which deletions are no longer stored. */
  pushState(): Promise<{ last: number; forgotten: number }>;
}

const beginning: Place = { position: 0, id: '00000000-0000-0000-0000-000000000000' };
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const discovered = 50;
const notAPosition = 'the cursor is not a position in the pushed users';

/**
 * Reads users that an identity provider pushed. A user that changes during a read moves to the end and is read there
 * again. A full read misses deletions during the read, so its checkpoint is its start; the checkpoint of an incremental
 * read is its end.
 */
export function scimPushConnector(records: RecordKind, config: ScimPushConfig, pushed: PushedUsers): Connector {
  const fields = config.fields ?? scimFields[records];
  const mapping = { kind: records, externalId: 'id', fields };
  const valuesIn = scimReader(sourceNames({ external_id: 'id', fields }));

  function pageOf(users: readonly PushedUser[], before: number): Pick<Page, 'records' | 'errors' | 'removed'> {
    const page: Required<Pick<Page, 'records' | 'errors' | 'removed'>> = { records: [], errors: [], removed: [] };
    for (const [index, { id, document }] of users.entries()) {
      if (document === undefined) {
        page.removed.push(externalIdOf(id));
        continue;
      }
      const mapped = mapRecord(mapping, valuesIn({ ...document, id: externalIdOf(id) }));
      if ('record' in mapped) page.records.push(mapped.record);
      else page.errors.push({ line: before + index + 1, ...mapped.error });
    }
    return page;
  }

  async function* read({ since, cursor, pageSize, signal }: ReadOptions): AsyncGenerator<Page> {
    const from = since && parseCursor(placeShape, since, notAPosition);
    const { last: begun, forgotten } = await pushed.pushState();
    if (from && from.position < forgotten) {
      throw new CheckpointExpired('deletions since the checkpoint are no longer stored');
    }
    const left = cursor ? parseCursor(cursorShape, cursor, notAPosition) : { ...(from ?? beginning), read: 0, begun };
    let at = placeOf(left);
    let { read: count } = left;
    for (let last = false; !last; ) {
      signal.throwIfAborted();
      const found = await pushed.behind(at, { limit: pageSize, deletedToo: from !== undefined });
      const { users } = found;
      last = found.last;
      const page = pageOf(users, count);
      count += users.length;
      at = placeOf(users.at(-1) ?? at);
      const checkpoint = from ? at : { position: left.begun, id: highest };
      yield { ...page, cursor: { ...at, read: count, begun: left.begun }, last, ...(last && { checkpoint }) };
    }
  }

  return {
    reportsChanges: true,
    reportsEveryChange: true,
    read,
    async readOne(externalId, signal) {
      signal.throwIfAborted();
      const id = decodeId('scimResource', externalId);
      const user = id === undefined ? undefined : await pushed.one(id);
      if (user?.document === undefined) return 'absent';
      const {
        records: [record],
        errors: [error],
      } = pageOf([user], 0);
      if (error) return { error };
      return record ? { record } : 'absent';
    },
    async discover() {
      const { users } = await pushed.behind(beginning, { limit: discovered, deletedToo: false });
      return jsonFields(users.map(({ document }) => document));
    },
  };
}

function externalIdOf(id: string): string {
  return encodeId('scimResource', id);
}

function placeOf({ position, id }: Place): Place {
  return { position, id };
}
