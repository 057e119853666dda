import { decodeId, encodeId, type RecordKind, type ScimPushConfig, scimFields } from '@idsync/contracts';
import { z } from 'zod';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import { mapRecord } from '../map-record.js';
import { sourceNames } from '../transform.js';

/** A place among what was pushed: the number of a push, and the last of its users that was read. */
const placeShape = z.object({ position: z.int().nonnegative(), id: z.string() });
type Place = z.infer<typeof placeShape>;
/** `read` is how many came before it, `begun` the number of the last push when reading began. */
const cursorShape = placeShape.extend({ read: z.int().nonnegative(), begun: z.int().nonnegative() });

/** A user as it was pushed, `id` and `groups` included; without a document it was deleted. */
export interface PushedUser extends Place {
  document: object | undefined;
}

/** What was pushed to one connector, in the order of the pushes that changed it last. */
export interface PushedUsers {
  behind(place: Place, options: { limit: number; deletedToo: boolean }): Promise<PushedUser[]>;
  /** Undefined where nobody of that id was pushed, or who was is deleted. */
  one(id: string): Promise<PushedUser | undefined>;
  /** The number of the last push, and the one up to which deletions are no longer known. */
  standing(): Promise<{ last: number; forgotten: number }>;
}

const beginning: Place = { position: 0, id: '00000000-0000-0000-0000-000000000000' };
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const discovered = 50;

/**
 * Users that an identity provider pushed to us. One that changes while it is read moves to the end and is read there again. A read
 * of everything does not hear of those that go meanwhile, so the next one takes up where it began; one of changes, where it ended.
 */
export function scimPushConnector(records: RecordKind, config: ScimPushConfig, pushed: PushedUsers): Connector {
  const fields = config.fields ?? scimFields[records];
  const mapping = { kind: records, externalId: 'id', fields };
  const valuesIn = jsonReader(sourceNames({ external_id: 'id', fields }));

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
    const from = since && understood(placeShape, since);
    const { last: begun, forgotten } = await pushed.standing();
    if (from && from.position < forgotten) {
      throw new CheckpointExpired('deletions that were pushed since are no longer known');
    }
    const left = cursor ? understood(cursorShape, cursor) : { ...(from ?? beginning), read: 0, begun };
    let at = placeOf(left);
    let { read: count } = left;
    for (let last = false; !last; ) {
      signal.throwIfAborted();
      const users = await pushed.behind(at, { limit: pageSize, deletedToo: from !== undefined });
      last = users.length < pageSize;
      const page = pageOf(users, count);
      count += users.length;
      at = placeOf(users.at(-1) ?? at);
      const checkpoint = from ? at : { position: left.begun, id: highest };
      yield { ...page, cursor: { ...at, read: count, begun: left.begun }, last, ...(last && { checkpoint }) };
    }
  }

  return {
    tellsChanges: true,
    missesNothing: true,
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
      const users = await pushed.behind(beginning, { limit: discovered, deletedToo: false });
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

function understood<T>(shape: z.ZodType<T>, given: unknown): T {
  const parsed = shape.safeParse(given);
  if (!parsed.success) throw new SourceError('the place where reading was left is not one among what was pushed');
  return parsed.data;
}
