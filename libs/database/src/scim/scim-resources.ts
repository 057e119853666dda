import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { readInOrder } from '../gateway/read-in-order.js';

export type ScimKind = 'User' | 'Group';

/** What was pushed, as it is kept: without its id, its members and what we add to it. */
export type ScimDocument = Record<string, unknown>;

export interface ScimResourceRow {
  id: string;
  kind: ScimKind;
  document: ScimDocument;
  version: number;
  createdAt: Date;
  changedAt: Date;
}

/** Whose connector's resources are meant, of which kind. */
export interface ScimPlace {
  tenantId: string;
  connectorId: string;
  kind: ScimKind;
}

/** A resource as a push leaves it. */
export interface PushedResource {
  id: string;
  /** The userName of a user, the displayName of a group. */
  name: string;
  externalId: string | undefined;
  document: ScimDocument;
  position: number;
}

/** What an index finds; all that is given must be so. */
export interface ScimNarrowing {
  ids?: readonly string[];
  /** Whatever its case. */
  name?: string;
  externalId?: string;
  /** Groups that have this member. */
  member?: string;
}

const columns = `id, kind, document, version, created_at as "createdAt", changed_at as "changedAt"`;

/** Throws a unique violation if another user has the name. */
export async function insertScimResource(
  tx: Transaction,
  place: ScimPlace,
  resource: PushedResource,
): Promise<ScimResourceRow> {
  const [row] = await tx.query<ScimResourceRow>(
    `insert into scim_resources (tenant_id, connector_id, kind, id, name_key, external_key, document, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
    stored(place, resource),
  );
  if (!row) throw new Error('the resource was not inserted');
  return row;
}

/** Throws a unique violation if another user has the name. */
export async function replaceScimResource(
  tx: Transaction,
  place: ScimPlace,
  resource: PushedResource,
): Promise<ScimResourceRow> {
  const [row] = await tx.query<ScimResourceRow>(
    `update scim_resources
        set name_key = $5, external_key = $6, document = $7, position = $8, version = version + 1, changed_at = now()
      where tenant_id = $1 and connector_id = $2 and kind = $3 and id = $4 and deleted_at is null returning ${columns}`,
    stored(place, resource),
  );
  if (!row) throw new Error('a resource went while its connector was locked');
  return row;
}

/** Leaves a tombstone that says nothing but that it was. */
export async function deleteScimResource(
  tx: Transaction,
  { tenantId, connectorId, kind }: ScimPlace,
  id: string,
  position: number,
): Promise<void> {
  await tx.query(
    `update scim_resources
        set name_key = '', external_key = null, document = '{}', position = $5, changed_at = now(), deleted_at = now()
      where tenant_id = $1 and connector_id = $2 and kind = $3 and id = $4 and deleted_at is null`,
    [tenantId, connectorId, kind, id, kind === 'User' ? position : null],
  );
}

export async function findScimResource(
  tx: Transaction,
  place: ScimPlace,
  id: string,
): Promise<ScimResourceRow | undefined> {
  const [row] = await listScimResources(tx, place, { ids: [id] }, { limit: 1 });
  return row;
}

/** Resources in the order of their creation: behind one of them, or behind as many as `offset` says. */
export async function listScimResources(
  tx: Transaction,
  place: ScimPlace,
  narrowing: ScimNarrowing,
  { limit, offset = 0, after }: { limit: number; offset?: number; after?: string },
): Promise<ScimResourceRow[]> {
  await readInOrder(tx);
  const { where, values } = conditions(place, narrowing);
  if (after !== undefined) where.push(`id > $${values.push(after)}`);
  return tx.query<ScimResourceRow>(
    `select ${columns} from scim_resources where ${where.join(' and ')}
      order by id limit $${values.push(limit)} offset $${values.push(offset)}`,
    values,
  );
}

export async function countScimResources(tx: Transaction, place: ScimPlace, narrowing: ScimNarrowing): Promise<number> {
  const { where, values } = conditions(place, narrowing);
  const [row] = await tx.query<{ count: string }>(
    `select count(*) from scim_resources where ${where.join(' and ')}`,
    values,
  );
  return Number(row?.count ?? 0);
}

/** Of those ids, which are living resources of the connector, users or groups. */
export async function knownScimResources(
  tx: Transaction,
  { tenantId, connectorId }: Omit<ScimPlace, 'kind'>,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `select id from scim_resources
      where tenant_id = $1 and connector_id = $2 and kind in ('User', 'Group') and id = any($3) and deleted_at is null`,
    [tenantId, connectorId, uuids(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** They are another version now, and read again: what groups they are in, or what these are called, has changed. */
export async function touchScimResources(
  tx: Transaction,
  { tenantId, connectorId }: Omit<ScimPlace, 'kind'>,
  ids: readonly string[],
  position: number,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update scim_resources
        set position = case kind when 'User' then $4::bigint end, version = version + 1, changed_at = now()
      where tenant_id = $1 and connector_id = $2 and kind in ('User', 'Group') and id = any($3) and deleted_at is null`,
    [tenantId, connectorId, uuids(ids), position],
  );
}

/** What was pushed of a person who is erased goes; no tombstone is needed, for the directory has erased the record already. */
export async function eraseScimUser(
  tx: Transaction,
  { tenantId, connectorId }: Omit<ScimPlace, 'kind'>,
  id: string,
): Promise<void> {
  await tx.query('delete from scim_members where tenant_id = $1 and member_id = $2', [tenantId, id]);
  await tx.query(
    `delete from scim_resources where tenant_id = $1 and connector_id = $2 and kind = 'User' and id = $3`,
    [tenantId, connectorId, id],
  );
}

function stored({ tenantId, connectorId, kind }: ScimPlace, resource: PushedResource): unknown[] {
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
  ];
}

/** A key by itself tells the connector and the kind, so that no other index fits a look for it. */
function keyOf(connectorId: string, kind: ScimKind, text: string): string {
  return `${connectorId} ${kind} ${text}`;
}

function conditions(
  { tenantId, connectorId, kind }: ScimPlace,
  { ids, name, externalId, member }: ScimNarrowing,
): { where: string[]; values: unknown[] } {
  const values: unknown[] = [tenantId];
  const where = ['tenant_id = $1', `kind = '${kind}'`, 'deleted_at is null'];
  if (name !== undefined) where.push(`name_key = $${values.push(keyOf(connectorId, kind, name.toLowerCase()))}`);
  if (externalId !== undefined) where.push(`external_key = $${values.push(keyOf(connectorId, kind, externalId))}`);
  if (name === undefined && externalId === undefined) where.push(`connector_id = $${values.push(connectorId)}`);
  if (ids !== undefined) where.push(`id = any($${values.push(uuids(ids))})`);
  if (member !== undefined) {
    where.push(`id in (select group_id from scim_members where member_id = $${values.push(member)})`);
  }
  return { where, values };
}
