import type { Transaction } from '../database.js';
import { readInOrder } from '../gateway/read-in-order.js';
import { groupsOfMembers } from './scim-members.js';
import { awaitPush } from './scim-positions.js';
import type { ScimDocument } from './scim-resources.js';

/** A place in what was pushed to a connector; pushes move on behind it. */
export interface PushedPlace {
  position: number;
  id: string;
}

/** A user as it was pushed and the groups it is in; without a document it was deleted. */
export interface PushedUser extends PushedPlace {
  document: ScimDocument | null;
  groups: { id: string; display: string | null }[];
}

/** Users behind a place, at most `limit`, in the order in which they changed last. */
export async function readPushedUsers(
  tx: Transaction,
  connectorId: string,
  { position, id }: PushedPlace,
  { limit, deletedToo }: { limit: number; deletedToo: boolean },
): Promise<PushedUser[]> {
  await awaitPush(tx, connectorId);
  await readInOrder(tx);
  const rows = await tx.query<Omit<PushedUser, 'groups' | 'position'> & { position: string }>(
    `select id, position, case when deleted_at is null then document end as document from scim_resources
      where connector_id = $1 and position is not null and (position, id) > ($2, $3)${deletedToo ? '' : ' and deleted_at is null'}
      order by position, id limit $4`,
    [connectorId, position, id, limit],
  );
  const ends = await groupsOfMembers(
    tx,
    rows.map((row) => row.id),
  );
  const groups = new Map<string, PushedUser['groups']>(rows.map((row) => [row.id, []]));
  for (const { of, id: group, display } of ends) groups.get(of)?.push({ id: group, display });
  return rows.map((row) => ({ ...row, position: Number(row.position), groups: groups.get(row.id) ?? [] }));
}

/** Undefined if there is no such user, or none any more. */
export async function readPushedUser(
  tx: Transaction,
  connectorId: string,
  id: string,
): Promise<PushedUser | undefined> {
  await awaitPush(tx, connectorId);
  const [row] = await tx.query<{ position: string; document: ScimDocument }>(
    `select position, document from scim_resources
      where connector_id = $1 and kind = 'User' and id = $2 and deleted_at is null`,
    [connectorId, id],
  );
  return row && { id, position: Number(row.position), document: row.document, groups: await groupsOfMembers(tx, [id]) };
}

/** The number of the last push, and the one up to which deletions are no longer known. */
export async function findPushStanding(
  tx: Transaction,
  connectorId: string,
): Promise<{ last: number; forgotten: number }> {
  const [row] = await tx.query<{ last: string; forgotten: string }>(
    'select last, forgotten from scim_positions where connector_id = $1',
    [connectorId],
  );
  return { last: Number(row?.last ?? 0), forgotten: Number(row?.forgotten ?? 0) };
}
