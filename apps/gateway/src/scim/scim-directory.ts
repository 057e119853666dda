import { isDeepStrictEqual } from 'node:util';
import { decodeId, newUuid } from '@idsync/contracts';
import {
  addScimMembers,
  beginPush,
  countScimResources,
  type Database,
  deleteScimResource,
  findScimResource,
  groupsOfMembers,
  insertScimResource,
  knownScimResources,
  leaveScimGroups,
  listScimResources,
  lockNotAvailable,
  membersOfGroups,
  type PushedResource,
  removeScimMembers,
  replaceScimResource,
  type ScimDocument,
  type ScimEnd,
  type ScimPlace,
  type ScimResourceRow,
  scimMemberIds,
  sqlState,
  type Transaction,
  touchScimResources,
  triggerSync,
  uniqueViolation,
  waitForLocksAtMost,
} from '@idsync/database';
import { ApiError, notFound } from '../api-error.js';
import { nameIn } from './scim-document.js';
import { refused, ScimError } from './scim-error.js';
import type { ScimFilter } from './scim-filter.js';
import type { MemberEdit } from './scim-patch.js';
import { schemaOf } from './scim-schemas.js';
import { busy } from './turns.js';

/** A resource, and the members of a group or the groups of a user, where these are wanted. */
export interface ScimFound {
  row: ScimResourceRow;
  ends: ScimEnd[];
}

/** What a push makes of a resource; undefined leaves the document as it is. */
export interface ScimChange {
  document?: ScimDocument;
  members?: readonly MemberEdit[];
}

interface Push {
  tx: Transaction;
  place: ScimPlace;
  position: number;
}

/** Pushes of one connector wait for each other; who waits longer is asked to come again. */
const lockWaitMs = 10_000;
/** Resources that are looked at one by one for one filter, and how many at once. */
const maxScanned = 20_000;
const scanPage = 1_000;
/** Members in one answer. */
const maxMembers = 100_000;

/** Throws a 409 where a user's name is taken. */
export async function createResource(
  database: Database,
  place: ScimPlace,
  { document = {}, members = [] }: ScimChange,
  ends: boolean,
): Promise<ScimFound> {
  return pushing(database, place, async (push) => {
    const row = await insertScimResource(push.tx, place, {
      id: newUuid(),
      ...stored(place, document),
      position: push.position,
    });
    await touchScimResources(push.tx, place, await editMembers(push, row.id, members), push.position);
    return { result: await withEnds(push.tx, row, ends), changed: true };
  });
}

/**
 * Changes a resource by what `change` makes of it, if it is the version that `wanted` accepts. Nothing is written, and no job made,
 * where it says what was known. Throws a 404, a 409, a 412, and what `change` throws.
 */
export async function changeResource(
  database: Database,
  place: ScimPlace,
  id: string,
  {
    wanted,
    change,
    ends,
  }: { wanted: (row: ScimResourceRow) => boolean; change: (row: ScimResourceRow) => ScimChange; ends: boolean },
): Promise<ScimFound> {
  return pushing(database, place, async (push) => {
    const { tx, position } = push;
    const before = await requireResource(tx, place, id, wanted);
    const { document = before.document, members = [] } = change(before);
    const touched = await editMembers(push, before.id, members);
    const rewritten = !isDeepStrictEqual(document, before.document);
    if (!rewritten && touched.length === 0) return { result: await withEnds(tx, before, ends), changed: false };
    const row = await replaceScimResource(tx, place, { id: before.id, ...stored(place, document), position });
    // A group that is called something else now is something else to all of its members.
    const renamed = place.kind === 'Group' && document.displayName !== before.document.displayName;
    await touchScimResources(
      tx,
      place,
      renamed ? [...touched, ...(await scimMemberIds(tx, row.id))] : touched,
      position,
    );
    return { result: await withEnds(tx, row, ends), changed: true };
  });
}

export async function deleteResource(
  database: Database,
  place: ScimPlace,
  id: string,
  wanted: (row: ScimResourceRow) => boolean,
): Promise<void> {
  await pushing(database, place, async ({ tx, position }) => {
    const row = await requireResource(tx, place, id, wanted);
    const left = await removeScimMembers(tx, row.id, { except: [] });
    await leaveScimGroups(tx, row.id);
    await deleteScimResource(tx, place, row.id, position);
    await touchScimResources(tx, place, left, position);
    return { result: undefined, changed: true };
  });
}

/** Throws a 404. */
export async function findResource(
  database: Database,
  place: ScimPlace,
  id: string,
  ends: boolean,
): Promise<ScimFound> {
  return database.transaction(place.tenantId, async (tx) => {
    const row = await requireResource(tx, place, id, () => true);
    return withEnds(tx, row, ends);
  });
}

/** A page of what a filter describes, and how many these are in all. */
export async function listResources(
  database: Database,
  place: ScimPlace,
  filter: ScimFilter,
  page: { offset: number; limit: number; ends: boolean },
): Promise<{ found: ScimFound[]; total: number }> {
  const scanned = filter.matches && (await scan(database, place, filter, filter.matches, page));
  return database.transaction(place.tenantId, async (tx) => {
    const { rows, total } = scanned ?? (await range(tx, place, filter, page));
    const ends = page.ends ? await endsOf(tx, place, rows) : new Map<string, ScimEnd[]>();
    return { found: rows.map((row) => ({ row, ends: ends.get(row.id) ?? [] })), total };
  });
}

async function range(
  tx: Transaction,
  place: ScimPlace,
  { narrowing }: ScimFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: ScimResourceRow[]; total: number }> {
  const rows = await listScimResources(tx, place, narrowing, { offset, limit });
  const all = offset === 0 && rows.length < limit;
  return { rows, total: all ? rows.length : await countScimResources(tx, place, narrowing) };
}

/** Holds no connection while it looks. Throws a 400 where too many would have to be looked at. */
async function scan(
  database: Database,
  place: ScimPlace,
  { narrowing }: ScimFilter,
  matches: (resource: unknown) => boolean,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: ScimResourceRow[]; total: number }> {
  const found: ScimResourceRow[] = [];
  let after: string | undefined;
  for (let scanned = 0; ; ) {
    const behind = { limit: scanPage, ...(after && { after }) };
    const rows = await database.transaction(place.tenantId, (tx) => listScimResources(tx, place, narrowing, behind));
    found.push(...rows.filter((row) => matches(testable(row))));
    scanned += rows.length;
    after = rows.at(-1)?.id;
    if (rows.length < scanPage) return { rows: found.slice(offset, offset + limit), total: found.length };
    if (scanned >= maxScanned) {
      throw refused(
        'tooMany',
        'too many would have to be looked at: filter by userName, externalId, displayName or id',
      );
    }
  }
}

function testable({ kind, document, createdAt, changedAt }: ScimResourceRow): object {
  const meta = { resourceType: kind, created: createdAt.toISOString(), lastModified: changedAt.toISOString() };
  const schemas = [schemaOf[kind].id, ...Object.keys(document).filter((name) => name.startsWith('urn:'))];
  return { schemas, ...document, meta };
}

/** One push at a time; what it changed is a small job, unless one that has not begun will read it too. */
async function pushing<T>(
  database: Database,
  place: ScimPlace,
  work: (push: Push) => Promise<{ result: T; changed: boolean }>,
): Promise<T> {
  const { tenantId, connectorId } = place;
  try {
    return await database.transaction(tenantId, async (tx) => {
      await waitForLocksAtMost(tx, lockWaitMs);
      const position = await beginPush(tx, tenantId, connectorId);
      const { result, changed } = await work({ tx, place, position });
      if (changed && (await triggerSync(tx, tenantId, { connectorId })).kind !== 'accepted') throw notFound();
      return result;
    });
  } catch (error) {
    const state = sqlState(error);
    if (state === uniqueViolation) throw new ScimError(409, 'uniqueness', 'userName is taken by another user');
    if (state === lockNotAvailable) throw busy();
    throw error;
  }
}

async function requireResource(
  tx: Transaction,
  place: ScimPlace,
  id: string,
  wanted: (row: ScimResourceRow) => boolean,
): Promise<ScimResourceRow> {
  const uuid = decodeId('scimResource', id);
  const row = uuid === undefined ? undefined : await findScimResource(tx, place, uuid);
  if (!row) throw notFound();
  if (!wanted(row)) throw new ApiError(412, 'the resource has changed since');
  return row;
}

function stored(place: ScimPlace, document: ScimDocument): Pick<PushedResource, 'name' | 'externalId' | 'document'> {
  const { externalId } = document;
  return { name: nameIn(place.kind, document), externalId: externalId as string | undefined, document };
}

/** Returns whose groups have changed by it. Throws a 400 for members that are not here. */
async function editMembers({ tx, place }: Push, groupId: string, edits: readonly MemberEdit[]): Promise<string[]> {
  const touched = new Set<string>();
  for (const { op, ids } of edits) {
    const uuids = ids === 'all' ? [] : ids.flatMap((id) => decodeId('scimResource', id) ?? []);
    if (op === 'remove') {
      const out = await removeScimMembers(tx, groupId, ids === 'all' ? { except: [] } : { ids: uuids });
      for (const id of out) touched.add(id);
      continue;
    }
    const known = await knownScimResources(tx, place, uuids);
    if (ids !== 'all') requireKnown(ids, known);
    if (op === 'replace') for (const id of await removeScimMembers(tx, groupId, { except: uuids })) touched.add(id);
    for (const id of await addScimMembers(tx, place.tenantId, groupId, [...known])) touched.add(id);
  }
  return [...touched];
}

function requireKnown(ids: readonly string[], known: ReadonlySet<string>): void {
  const unknown = ids.find((id) => !known.has(decodeId('scimResource', id) ?? ''));
  if (unknown !== undefined) throw refused('invalidValue', `members: there is no resource "${unknown}"`);
}

async function withEnds(tx: Transaction, row: ScimResourceRow, wanted: boolean): Promise<ScimFound> {
  if (!wanted) return { row, ends: [] };
  return { row, ends: (await endsOf(tx, row, [row])).get(row.id) ?? [] };
}

async function endsOf(
  tx: Transaction,
  { kind }: Pick<ScimPlace, 'kind'>,
  rows: readonly ScimResourceRow[],
): Promise<Map<string, ScimEnd[]>> {
  const ids = rows.map(({ id }) => id);
  const ends = kind === 'User' ? await groupsOfMembers(tx, ids) : await membersOfGroups(tx, ids, maxMembers + 1);
  if (ends.length > maxMembers) throw refused('tooMany', 'ask with excludedAttributes=members: there are too many');
  const byResource = new Map<string, ScimEnd[]>(ids.map((id) => [id, []]));
  for (const end of ends) byResource.get(end.of)?.push(end);
  return byResource;
}
