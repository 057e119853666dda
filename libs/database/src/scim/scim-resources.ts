import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

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

/** What an index finds; all that is given must be so. */
export interface ScimNarrowing {
  ids?: readonly string[];
  /** In lower case. */
  nameKey?: string;
  externalId?: string;
  /** Groups that have this member. */
  member?: string;
}

const columns = `id, kind, document, version, created_at as "createdAt", changed_at as "changedAt"`;

/** Throws a unique violation if another user has the name. */
export async function insertScimResource(
  tx: Transaction,
  { tenantId, connectorId, kind }: ScimPlace,
  resource: { id: string; nameKey: string; externalId: string | undefined; document: ScimDocument; position: number },
): Promise<ScimResourceRow> {
  const [row] = await tx.query<ScimResourceRow>(
    `insert into scim_resources (id, tenant_id, connector_id, kind, name_key, external_id, document, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
    [
      resource.id,
      tenantId,
      connectorId,
      kind,
      resource.nameKey,
      resource.externalId ?? null,
      JSON.stringify(resource.document),
      resource.position,
    ],
  );
  if (!row) throw new Error('the resource was not inserted');
  return row;
}

/** Throws a unique violation if another user has the name. */
export async function replaceScimResource(
  tx: Transaction,
  { tenantId, connectorId, kind }: ScimPlace,
  resource: { id: string; nameKey: string; externalId: string | undefined; document: ScimDocument; position: number },
): Promise<ScimResourceRow> {
  const [row] = await tx.query<ScimResourceRow>(
    `update scim_resources
        set name_key = $5, external_id = $6, document = $7, position = $8, version = version + 1, changed_at = now()
      where id = $1 and tenant_id = $2 and connector_id = $3 and kind = $4 and deleted_at is null returning ${columns}`,
    [
      resource.id,
      tenantId,
      connectorId,
      kind,
      resource.nameKey,
      resource.externalId ?? null,
      JSON.stringify(resource.document),
      resource.position,
    ],
  );
  if (!row) throw new Error('a resource went while its connector was locked');
  return row;
}

/** Leaves a tombstone that says nothing but that it was. False if there is no such resource. */
export async function deleteScimResource(
  tx: Transaction,
  { tenantId, connectorId, kind }: ScimPlace,
  id: string,
  position: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update scim_resources
        set name_key = '', external_id = null, document = '{}', position = $5, changed_at = now(), deleted_at = now()
      where id = $1 and tenant_id = $2 and connector_id = $3 and kind = $4 and deleted_at is null returning id`,
    [id, tenantId, connectorId, kind, position],
  );
  return rows.length > 0;
}

export async function findScimResource(
  tx: Transaction,
  place: ScimPlace,
  id: string,
): Promise<ScimResourceRow | undefined> {
  const { rows } = await listScimResources(tx, place, { ids: [id] }, { limit: 1 });
  return rows[0];
}

/** Resources in the order of their creation: behind one of them, or behind as many as `offset` says. */
export async function listScimResources(
  tx: Transaction,
  place: ScimPlace,
  narrowing: ScimNarrowing,
  { limit, offset = 0, after }: { limit: number; offset?: number; after?: string },
): Promise<{ rows: ScimResourceRow[] }> {
  const { where, values } = conditions(place, narrowing);
  if (after !== undefined) where.push(`id > $${values.push(after)}`);
  const rows = await tx.query<ScimResourceRow>(
    `select ${columns} from scim_resources where ${where.join(' and ')}
      order by id limit $${values.push(limit)} offset $${values.push(offset)}`,
    values,
  );
  return { rows };
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
      where id = any($1) and tenant_id = $2 and connector_id = $3 and deleted_at is null`,
    [uuids(ids), tenantId, connectorId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** They are read again, since what groups they are in, or what these are called, has changed. */
export async function touchScimResources(tx: Transaction, ids: readonly string[], position: number): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update scim_resources set position = $2, version = version + 1, changed_at = now()
      where id = any($1) and deleted_at is null`,
    [uuids(ids), position],
  );
}

function conditions(
  { tenantId, connectorId, kind }: ScimPlace,
  { ids, nameKey, externalId, member }: ScimNarrowing,
): { where: string[]; values: unknown[] } {
  const values: unknown[] = [tenantId, connectorId, kind];
  const where = ['tenant_id = $1', 'connector_id = $2', 'kind = $3', 'deleted_at is null'];
  if (ids !== undefined) where.push(`id = any($${values.push(uuids(ids))})`);
  // A constant kind in the statement lets PostgreSQL use the index of that kind.
  if (nameKey !== undefined) where.push(`kind = '${kind}'`, `name_key = $${values.push(nameKey)}`);
  if (externalId !== undefined) where.push(`external_id = $${values.push(externalId)}`);
  if (member !== undefined) {
    where.push(`id in (select group_id from scim_members where member_id = $${values.push(member)})`);
  }
  return { where, values };
}

/** The sources' names of resources that an erased person leaves behind; what was pushed of them goes. */
export async function eraseScimResources(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('delete from scim_resources where tenant_id = $1 and id = any($2)', [tenantId, uuids(ids)]);
}
