import { isDeepStrictEqual } from 'node:util';
import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import {
  addScimMembers,
  countScimResources,
  deleteScimResource,
  findExistingScimIds,
  findScimMemberships,
  findScimResource,
  insertScimResource,
  type PushedResource,
  readScimResources,
  removeFromScimGroups,
  removeScimMembers,
  replaceScimResource,
  type ScimCriteria,
  type ScimDocument,
  type ScimKind,
  type ScimResourceRow,
  type ScimScope,
  scimMemberIds,
  touchScimResources,
} from '@idsync/database/scim';
import { ApiError, notFound } from '../http/api-error.js';
import { namesVersion } from '../http/names-version.js';
import { etag, metaOf, type ScimFound, schemasOf } from './present-resource.js';
import type { Push, PushGroups } from './push-groups.service.js';
import { maxMemberships, maxScanned, pageBytes, scannedBytes } from './scim-bounds.js';
import { nameIn } from './scim-document.js';
import { refused } from './scim-error.js';
import type { ScimFilter } from './scim-filter.js';
import type { MemberEdit } from './scim-patch.js';
import { membershipsOf } from './scim-schemas.js';

/** The new state of a resource. */
export interface ScimChange {
  document: ScimDocument;
  members: readonly MemberEdit[];
}

/** Maximum length of the display names of members and groups. */
const nameLength = 64;

/** Throws a 409 if the user name is taken. */
export async function createResource(
  pushes: PushGroups,
  scope: ScimScope,
  { document, members }: ScimChange,
  withMemberships: boolean,
): Promise<ScimFound> {
  const create = async ({ tx, position }: Push) => {
    const row = await insertScimResource(tx, scope, { id: newUuid(), ...stored(scope, document), position });
    await touchScimResources(tx, scope, await editMembers(tx, scope, row.id, members), position);
    // Only these members can exist: a new user is in no group.
    const result = await loadAfterPush(tx, scope, row, withMemberships && members.length > 0);
    return { result, changed: true };
  };
  return pushes.run(scope, create, { isAddition: members.length === 0 });
}

/**
 * Applies `change` to a resource if `ifMatch` names its version. Writes nothing and creates no job if nothing changes. Throws a 404,
 * a 409, a 412, and the errors of `change`.
 */
export async function changeResource(
  pushes: PushGroups,
  scope: ScimScope,
  id: string,
  {
    ifMatch,
    change,
    withMemberships,
  }: { ifMatch: string | undefined; change: (before: ScimDocument) => ScimChange; withMemberships: boolean },
): Promise<ScimFound> {
  return pushes.run(scope, async ({ tx, position }) => {
    const before = await requireResource(tx, scope, id, ifMatch);
    const { document, members } = change(before.document);
    const touched = await editMembers(tx, scope, before.id, members);
    const rewritten = !isDeepStrictEqual(document, before.document);
    if (!rewritten && touched.length === 0)
      return { result: await loadAfterPush(tx, scope, before, withMemberships), changed: false };
    const row = await replaceScimResource(tx, scope, { id: before.id, ...stored(scope, document), position });
    // The documents of all members contain the name of the group.
    const renamed = scope.kind === 'Group' && document.displayName !== before.document.displayName;
    await touchScimResources(
      tx,
      scope,
      renamed ? [...touched, ...(await scimMemberIds(tx, row.id))] : touched,
      position,
    );
    return { result: await loadAfterPush(tx, scope, row, withMemberships), changed: true };
  });
}

export async function deleteResource(
  pushes: PushGroups,
  scope: ScimScope,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  await pushes.run(scope, async ({ tx, position }) => {
    const row = await requireResource(tx, scope, id, ifMatch);
    const left = await removeScimMembers(tx, row.id, { except: [] });
    await removeFromScimGroups(tx, row.id);
    await deleteScimResource(tx, scope, row, position);
    await touchScimResources(tx, scope, left, position);
    return { result: undefined, changed: true };
  });
}

/** Throws a 404, or a 400 for more members or groups than one response may have. */
export async function findResource(
  database: Database,
  scope: ScimScope,
  id: string,
  withMemberships: boolean,
): Promise<ScimFound> {
  return database.transaction(scope.tenantId, async (tx) => {
    const row = await requireResource(tx, scope, id);
    const [found] = await loadMemberships(tx, scope, [row], withMemberships);
    return found ?? tooManyMemberships(scope.kind);
  });
}

/**
 * Returns a page of the resources that match a filter, and their total. The page is shorter than `limit` if the resources are large.
 * Throws a 400 if the first resource alone has more members or groups than one response may have.
 */
export async function listResources(
  database: Database,
  scope: ScimScope,
  filter: ScimFilter,
  { offset, limit, withMemberships }: { offset: number; limit: number; withMemberships: boolean },
): Promise<{ found: ScimFound[]; total: number }> {
  const { narrowing, matches } = filter;
  const ids = matches && (await scan(database, scope, narrowing, matches));
  return database.transaction(scope.tenantId, async (tx) => {
    const rows = ids
      ? await readPage(tx, scope, { ids: ids.slice(offset, offset + limit) }, { offset: 0, limit })
      : await readPage(tx, scope, narrowing, { offset, limit });
    const found = await loadMemberships(tx, scope, rows, withMemberships);
    if (rows.length > 0 && found.length === 0) return tooManyMemberships(scope.kind);
    return { found, total: ids?.length ?? (await countScimResources(tx, scope, narrowing)) };
  });
}

async function readPage(
  tx: Transaction,
  scope: ScimScope,
  narrowing: ScimCriteria,
  range: { offset: number; limit: number },
): Promise<ScimResourceRow[]> {
  const rows: ScimResourceRow[] = [];
  let bytes = 0;
  for await (const row of readScimResources(tx, scope, narrowing, range)) {
    rows.push(row);
    bytes += row.bytes;
    if (bytes >= pageBytes) break;
  }
  return rows;
}

/** Returns the ids of matching resources. Throws a 400 if it would scan too many resources or bytes. */
async function scan(
  database: Database,
  scope: ScimScope,
  narrowing: ScimCriteria,
  matches: (resource: unknown) => boolean,
): Promise<string[]> {
  return database.transaction(scope.tenantId, async (tx) => {
    const ids: string[] = [];
    let [scanned, bytes] = [0, 0];
    for await (const row of readScimResources(tx, scope, narrowing, { limit: maxScanned + 1 })) {
      scanned += 1;
      bytes += row.bytes;
      if (scanned > maxScanned || bytes > scannedBytes) {
        throw refused(
          'tooMany',
          `the filter would scan more than ${maxScanned} resources or ${scannedBytes / 1024 / 1024} MiB: ` +
            'filter by userName, externalId, displayName or id',
        );
      }
      const ofService = {
        schemas: schemasOf(row),
        id: encodeId('scimResource', row.id),
        meta: { ...metaOf(row), version: etag(row) },
      };
      if (matches({ ...row.document, ...ofService })) ids.push(row.id);
    }
    return ids;
  });
}

async function requireResource(
  tx: Transaction,
  scope: ScimScope,
  id: string,
  ifMatch?: string,
): Promise<ScimResourceRow> {
  const uuid = decodeId('scimResource', id);
  const row = uuid === undefined ? undefined : await findScimResource(tx, scope, uuid);
  if (!row) throw notFound();
  if (ifMatch !== undefined && !namesVersion(ifMatch, etag(row)))
    throw new ApiError(412, 'the version of the resource does not match If-Match');
  return row;
}

function stored(scope: ScimScope, document: ScimDocument): Pick<PushedResource, 'name' | 'externalId' | 'document'> {
  const { externalId } = document;
  return { name: nameIn(scope.kind, document), externalId: externalId as string | undefined, document };
}

/** Returns the ids of the users whose groups changed. Throws a 400 for unknown members. */
async function editMembers(
  tx: Transaction,
  scope: ScimScope,
  groupId: string,
  edits: readonly MemberEdit[],
): Promise<string[]> {
  const touched = new Set<string>();
  for (const { op, ids } of edits) {
    const uuids = ids === 'all' ? [] : ids.flatMap((id) => decodeId('scimResource', id) ?? []);
    if (op === 'remove') {
      const out = await removeScimMembers(tx, groupId, ids === 'all' ? { except: [] } : { ids: uuids });
      for (const id of out) touched.add(id);
      continue;
    }
    const known = await findExistingScimIds(tx, scope, uuids);
    if (ids !== 'all') requireKnown(ids, known);
    if (op === 'replace') for (const id of await removeScimMembers(tx, groupId, { except: uuids })) touched.add(id);
    for (const id of await addScimMembers(tx, groupId, [...known])) touched.add(id);
  }
  return [...touched];
}

function requireKnown(ids: readonly string[], known: ReadonlySet<string>): void {
  const unknown = ids.find((id) => !known.has(decodeId('scimResource', id) ?? ''));
  if (unknown !== undefined) throw refused('invalidValue', `members: unknown resource "${unknown}"`);
}

/** Returns the resource after a push, without members or groups if these are too many for one response. */
async function loadAfterPush(
  tx: Transaction,
  scope: ScimScope,
  row: ScimResourceRow,
  withMemberships: boolean,
): Promise<ScimFound> {
  const [found] = await loadMemberships(tx, scope, [row], withMemberships);
  return found ?? { row, memberships: [] };
}

/** Loads members or groups of the leading rows that together stay within the limit of one response. */
async function loadMemberships(
  tx: Transaction,
  { kind, connectorId }: ScimScope,
  rows: readonly ScimResourceRow[],
  withMemberships: boolean,
): Promise<ScimFound[]> {
  if (!withMemberships || rows.length === 0) return rows.map((row) => ({ row, memberships: [] }));
  const ids = rows.map(({ id }) => id);
  const bounds = { max: maxMemberships, nameLength };
  const found = await findScimMemberships(tx, connectorId, membershipsOf[kind], ids, bounds);
  return rows.slice(0, found.size).map((row) => ({ row, memberships: found.get(row.id) ?? [] }));
}

function tooManyMemberships(kind: ScimKind): never {
  const name = membershipsOf[kind];
  throw refused(
    'tooMany',
    `a response can have at most ${maxMemberships} ${name}: request it with excludedAttributes=${name}`,
  );
}
