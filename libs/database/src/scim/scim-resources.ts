// SQL by hand: size-limited pages, and conditions for one index each.
import { createHash } from 'node:crypto';
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { selectList } from '../naming-strategy.js';
import { useIndexOrder } from '../transaction-settings.js';
import { type FormerPerson, formerPerson, type ScimDocument } from './former-person.js';
import { addToTotal, findTotal, type ScimKind } from './scim-positions.js';

export type { ScimDocument } from './former-person.js';

/** A pushed user or group. A deleted one has a tombstone, whose document has at most hashes of the person. */
export interface ScimResourceRow {
  id: string;
  kind: ScimKind;
  document: ScimDocument;
  version: number;
  createdAt: Date;
  changedAt: Date;
}

const columns = selectList(['id', 'kind', 'document', 'version', 'createdAt', 'changedAt']);

/** The connector and kind of SCIM resources. */
export interface ScimScope {
  tenantId: string;
  connectorId: string;
  kind: ScimKind;
}

/** A resource to be stored by a push. */
export interface PushedResource {
  id: string;
  /** The userName of a user, the displayName of a group. */
  name: string;
  externalId: string | undefined;
  document: ScimDocument;
  /** Only users keep it; groups are read with their members. */
  position: number;
}

/** Indexed conditions on resources, combined with AND. */
export interface ScimCriteria {
  ids?: readonly string[];
  /** Case-insensitive. */
  name?: string;
  externalId?: string;
  /** Groups that have this member. */
  member?: string;
}

/**
 * Keeps a search by primary key apart from `deleted_at is null`. With that, PostgreSQL would read a partial index of all
 * resources while the table has no statistics.
 */
export const alone = 'offset 0';

/** Small, because each resource may have the maximum size. */
const resourcesAtOnce = 16;

/** The hash that a deleted user leaves, so that its tombstone has no personal data. */
const formerKeyOfRow = `encode(sha256(convert_to(coalesce('external ' || external_key, name_key), 'UTF8')), 'hex')`;

/** The same hash, as a value: under row-level security, no index is used for an expression that might leak rows. */
function formerKey(externalKey: string | null, nameKey: string): string {
  return createHash('sha256')
    .update(externalKey === null ? nameKey : `external ${externalKey}`)
    .digest('hex');
}

/** The person of a user that is found by its name only; an externalId belongs to one person. */
function personOf({ connectorId, kind }: ScimScope, { externalId, document }: Named): FormerPerson {
  return kind === 'Group' || externalId !== undefined ? {} : formerPerson(connectorId, document);
}

type Named = Pick<PushedResource, 'externalId' | 'document'>;

/**
 * Inserts a resource. A user that was deleted and is created again gets its tombstone back with its id, unless the name
 * is given to another person. It is one statement because concurrent pushes create resources at the same time. Throws a
 * unique violation if another user has the name.
 */
export async function insertScimResource(
  tx: Transaction,
  scope: ScimScope,
  resource: PushedResource,
): Promise<ScimResourceRow> {
  const values = stored(scope, resource);
  const [, , , , nameKey, externalKey] = values;
  const { number, words } = personOf(scope, resource);
  const [row] = await tx.query<ScimResourceRow>(
    `with counted as (${addToTotal(scope.kind, 1)}),
     restored as (
       update scim_resources
          set name_key = $5, external_key = $6, former_key = null, document = $7, position = $8, version = version + 1,
              created_at = now(), changed_at = now(), deleted_at = null
        where tenant_id = $1 and connector_id = $2 and kind = 'User' and $3 = 'User' and id = (
          select id from scim_resources where tenant_id = $1 and former_key = $9
             and not coalesce(document ->> 'number' <> $10 or not document -> 'words' ?| $11::text[], false)
           order by position desc limit 1)
       returning ${columns}),
     inserted as (
       insert into scim_resources (tenant_id, connector_id, kind, id, name_key, external_key, document, position)
       select $1::uuid, $2::uuid, $3, $4::uuid, $5, $6, $7::jsonb, $8::bigint where not exists (select from restored)
       returning ${columns})
     select * from restored union all select * from inserted`,
    [...values, formerKey(externalKey, nameKey), number, words],
  );
  if (!row) throw new Error('the resource was not inserted');
  return row;
}

/** Replaces a resource that exists. Throws a unique violation if another user has the name. */
export async function replaceScimResource(
  tx: Transaction,
  scope: ScimScope,
  resource: PushedResource,
): Promise<ScimResourceRow> {
  const [row] = await tx.query<ScimResourceRow>(
    `update scim_resources
        set name_key = $5, external_key = $6, document = $7, position = $8, version = version + 1, changed_at = now()
      where tenant_id = $1 and connector_id = $2 and kind = $3 and id = $4 returning ${columns}`,
    stored(scope, resource),
  );
  if (!row) throw new Error('the resource does not exist although its connector is locked');
  return row;
}

/** Replaces a resource that exists by a tombstone without data, except for the hashes by which it is recognised. */
export async function deleteScimResource(
  tx: Transaction,
  scope: ScimScope,
  { id, document }: Pick<ScimResourceRow, 'id' | 'document'>,
  position: number,
): Promise<void> {
  const { tenantId, connectorId, kind } = scope;
  const externalId = document.externalId as string | undefined;
  await tx.query(
    `with counted as (${addToTotal(kind, -1)})
     update scim_resources
        set name_key = '', external_key = null, former_key = ${kind === 'User' ? formerKeyOfRow : null},
            document = $6, position = $5, changed_at = now(), deleted_at = now()
      where tenant_id = $1 and connector_id = $2 and kind = $3 and id = $4`,
    [
      tenantId,
      connectorId,
      kind,
      id,
      kind === 'User' ? position : null,
      JSON.stringify(personOf(scope, { externalId, document })),
    ],
  );
}

export async function findScimResource(
  tx: Transaction,
  scope: ScimScope,
  id: string,
): Promise<ScimResourceRow | undefined> {
  const { from, values } = conditions(scope, { ids: [id] });
  return tx.row<ScimResourceRow>(`select ${columns} ${from}`, values);
}

/**
 * Reads resources in creation order, skipping `offset`, one by one; `bytes` is the size of the document. Reads them in
 * small chunks to limit memory.
 */
export async function* readScimResources(
  tx: Transaction,
  scope: ScimScope,
  criteria: ScimCriteria,
  { limit, offset = 0 }: { limit: number; offset?: number },
): AsyncGenerator<ScimResourceRow & { bytes: number }> {
  await useIndexOrder(tx);
  let after: string | undefined;
  for (let left = limit; left > 0; ) {
    const { from, values } = conditions(scope, criteria);
    const following = after === undefined ? '' : `and id > $${values.push(after)}`;
    const rows = Math.min(left, resourcesAtOnce);
    const chunk = await tx.query<Omit<ScimResourceRow, 'document'> & { text: string }>(
      `select ${selectList(['id', 'kind', 'version', 'createdAt', 'changedAt'])}, document::text as text ${from} ${following}
        order by id limit $${values.push(rows)} offset $${values.push(after === undefined ? offset : 0)}`,
      values,
    );
    for (const { text, ...row } of chunk) {
      yield { ...row, document: JSON.parse(text) as ScimDocument, bytes: Buffer.byteLength(text) };
    }
    if (chunk.length < rows) return;
    left -= rows;
    after = chunk.at(-1)?.id;
  }
}

export async function countScimResources(tx: Transaction, scope: ScimScope, criteria: ScimCriteria): Promise<number> {
  const isAll = Object.values(criteria).every((each) => each === undefined);
  if (isAll) return findTotal(tx, scope.connectorId, scope.kind);
  const { from, values } = conditions(scope, criteria);
  return tx.count(`select count(*) ${from}`, values);
}

/**
 * The ends of the primary keys that users and groups with the ids `$3` may have. `offset 0` keeps the connector out of
 * the conditions on `scim_resources`: with it, PostgreSQL without statistics would read all of its resources.
 */
const keysOf = `select $2::uuid as connector_id, kind, id
  from unnest($3::uuid[]) as id cross join unnest('{User,Group}'::text[]) as kind offset 0`;

/** Returns those of the ids that are existing users or groups of the connector. */
export async function findExistingScimIds(
  tx: Transaction,
  { tenantId, connectorId }: Omit<ScimScope, 'kind'>,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = await tx.ids(
    `select r.id from (${keysOf}) as k cross join lateral (
       select id, deleted_at from scim_resources
        where tenant_id = $1 and connector_id = k.connector_id and kind = k.kind and id = k.id limit 1) as r
      where r.deleted_at is null`,
    [tenantId, connectorId, uuids(ids)],
  );
  return new Set(found);
}

/**
 * Increments the version and position of users and groups whose memberships or group names changed, so that they are
 * read again. All of them exist, because a resource leaves its groups when it is deleted.
 */
export async function touchScimResources(
  tx: Transaction,
  { tenantId, connectorId }: Omit<ScimScope, 'kind'>,
  ids: readonly string[],
  position: number,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update scim_resources r
        set position = case when r.kind = 'User' then $4::bigint end, version = version + 1, changed_at = now()
       from (${keysOf}) as k
      where r.tenant_id = $1 and r.connector_id = k.connector_id and r.kind = k.kind and r.id = k.id`,
    [tenantId, connectorId, uuids(ids), position],
  );
}

/**
 * Deletes the pushed resource of an erased person. It needs no tombstone, since the directory has already erased the
 * record.
 */
export async function eraseScimUser(
  tx: Transaction,
  { tenantId, connectorId }: Omit<ScimScope, 'kind'>,
  id: string,
): Promise<void> {
  // Pushes lock the position first, too; in different orders, the two could deadlock.
  await tx.query('select from scim_positions where tenant_id = $1 and connector_id = $2 for update', [
    tenantId,
    connectorId,
  ]);
  await tx.query(
    `update scim_positions set users = users - (
       select count(*) from (
         select deleted_at from scim_resources
          where tenant_id = $1 and connector_id = $2 and kind = 'User' and id = $3 ${alone}) as named
        where deleted_at is null)
      where tenant_id = $1 and connector_id = $2`,
    [tenantId, connectorId, id],
  );
  await tx.query('delete from scim_members where tenant_id = $1 and member_id = $2', [tenantId, id]);
  await tx.query(
    `delete from scim_resources where tenant_id = $1 and connector_id = $2 and kind = 'User' and id = $3`,
    [tenantId, connectorId, id],
  );
}

function stored({ tenantId, connectorId, kind }: ScimScope, resource: PushedResource) {
  const { id, name, externalId, document, position } = resource;
  return [
    tenantId,
    connectorId,
    kind,
    id,
    keyOf(connectorId, kind, name.toLowerCase()),
    externalId === undefined ? null : keyOf(connectorId, kind, externalId),
    JSON.stringify(document),
    kind === 'User' ? position : null,
  ] as const;
}

/** Prefixes keys with connector and kind, so that no other index matches the query. */
function keyOf(connectorId: string, kind: ScimKind, text: string): string {
  return `${connectorId} ${kind} ${text}`;
}

function conditions(
  { tenantId, connectorId, kind }: ScimScope,
  { ids, name, externalId, member }: ScimCriteria,
): { from: string; values: unknown[] } {
  const values: unknown[] = [tenantId];
  const where = ['deleted_at is null'];
  const keys = ['tenant_id = $1', `kind = '${kind}'`];
  if (ids !== undefined || (name === undefined && externalId === undefined))
    keys.push(`connector_id = $${values.push(connectorId)}`);
  if (name !== undefined) where.push(`name_key = $${values.push(keyOf(connectorId, kind, name.toLowerCase()))}`);
  if (externalId !== undefined) where.push(`external_key = $${values.push(keyOf(connectorId, kind, externalId))}`);
  if (member !== undefined) {
    where.push(
      `id in (select group_id from scim_members where tenant_id = $1 and member_id = $${values.push(member)})`,
    );
  }
  if (ids === undefined) return { from: `from scim_resources where ${[...keys, ...where].join(' and ')}`, values };
  const wanted = `(select distinct unnest($${values.push(uuids(ids))}::uuid[])) as wanted (id)`;
  const one = `select * from scim_resources where ${keys.join(' and ')} and id = wanted.id limit 1`;
  const named = `select one.* from ${wanted} cross join lateral (${one}) as one`;
  return { from: `from (${named}) as named where ${where.join(' and ')}`, values };
}
