// SQL by hand: reads and writes in bulk.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import type { ScimKind } from './scim-positions.js';

/** A group of a member, or a member of a group. */
export interface ScimMembership {
  /** The resource that was queried: the member or the group. */
  of: string;
  id: string;
  kind: ScimKind;
  display: string | null;
}

/** Returns the ids of new members. */
export async function addScimMembers(
  tx: Transaction,
  groupId: string,
  memberIds: readonly string[],
): Promise<string[]> {
  return tx.ids(
    `insert into scim_members (group_id, member_id, tenant_id) select $1, member_id, $2 from unnest($3::uuid[]) as member_id
     on conflict do nothing returning member_id as id`,
    [groupId, tx.tenantId, uuids(memberIds)],
  );
}

/** Removes these members from the group, or, with `except`, all others. Returns the ids of removed members. */
export async function removeScimMembers(
  tx: Transaction,
  groupId: string,
  { ids, except }: { ids: readonly string[]; except?: undefined } | { ids?: undefined; except: readonly string[] },
): Promise<string[]> {
  return tx.ids(
    `delete from scim_members where tenant_id = $1 and group_id = $2 and ${ids ? '' : 'not '}member_id = any($3)
     returning member_id as id`,
    [tx.tenantId, groupId, uuids(ids ?? except)],
  );
}

/** Removes a resource from all groups. */
export async function removeFromScimGroups(tx: Transaction, memberId: string): Promise<void> {
  await tx.query('delete from scim_members where tenant_id = $1 and member_id = $2', [tx.tenantId, memberId]);
}

export async function scimMemberIds(tx: Transaction, groupId: string): Promise<string[]> {
  return tx.ids('select member_id as id from scim_members where tenant_id = $1 and group_id = $2', [
    tx.tenantId,
    groupId,
  ]);
}

type MembershipSide = 'members' | 'groups';

/** The columns of `scim_members` for the queried resource and the other one. */
const membershipColumns: Record<MembershipSide, { own: string; other: string }> = {
  members: { own: 'group_id', other: 'member_id' },
  groups: { own: 'member_id', other: 'group_id' },
};
const kinds: readonly ScimKind[] = ['User', 'Group'];

/**
 * Returns the members or groups of the leading resources that have at most `max` of them together, by the ids of these
 * resources, `atLeast` so many.
 */
export async function findScimMemberships(
  tx: Transaction,
  connectorId: string,
  of: MembershipSide,
  ids: readonly string[],
  { max, nameLength, atLeast = 0 }: { max: number; nameLength: number; atLeast?: number },
): Promise<Map<string, ScimMembership[]>> {
  const counts = await countMemberships(tx, of, ids, max);
  let left = max;
  const over = ids.findIndex((id) => {
    left -= counts.get(id) ?? 0;
    return left < 0;
  });
  const included = over < 0 ? ids : ids.slice(0, Math.max(over, atLeast));
  const found = new Map<string, ScimMembership[]>(included.map((id) => [id, []]));
  for (const membership of await listScimMemberships(tx, connectorId, of, included, nameLength))
    found.get(membership.of)?.push(membership);
  return found;
}

/** Counts the members or groups of each resource, by its id, up to `max` + 1. */
async function countMemberships(
  tx: Transaction,
  of: MembershipSide,
  ids: readonly string[],
  max: number,
): Promise<Map<string, number>> {
  const { own } = membershipColumns[of];
  const rows = await tx.query<{ id: string; count: number }>(
    `select r.id, (select count(*) from (
              select from scim_members m where m.tenant_id = $1 and m.${own} = r.id limit $3) as memberships) as count
       from unnest($2::uuid[]) as r(id)`,
    [tx.tenantId, uuids(ids), max + 1],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Lists members of groups, or groups of members, of one connector. Truncates names to `nameLength` characters. */
export async function listScimMemberships(
  tx: Transaction,
  connectorId: string,
  of: MembershipSide,
  ids: readonly string[],
  nameLength: number,
): Promise<ScimMembership[]> {
  const { own, other } = membershipColumns[of];
  const name = `left(coalesce(r.document ->> 'displayName', r.document ->> 'userName'), $3)`;
  const lookUps = kinds.map(
    (kind) => `select r.id, r.kind, ${name} as display from scim_resources r
                where r.tenant_id = $1 and r.connector_id = $4 and r.kind = '${kind}' and r.id = m.${other}`,
  );
  // The limit keeps each lookup a primary key lookup: without statistics, a join would read all resources of the
  // connector.
  return tx.query<ScimMembership>(
    `select m.${own} as of, r.id, r.kind, r.display
       from scim_members m cross join lateral (${lookUps.join(' union all ')} limit 1) as r
      where m.tenant_id = $1 and m.${own} = any($2) order by m.${own}, m.${other}`,
    [tx.tenantId, uuids(ids), nameLength, connectorId],
  );
}
