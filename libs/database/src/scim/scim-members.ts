import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import type { ScimKind } from './scim-resources.js';

/** One end of a membership, as it is shown at the other. */
export interface ScimEnd {
  /** Whose end it is: the group of a member, or the member of a group. */
  of: string;
  id: string;
  kind: ScimKind;
  display: string | null;
}

/** Returns those who were not in the group before. */
export async function addScimMembers(
  tx: Transaction,
  tenantId: string,
  groupId: string,
  memberIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `insert into scim_members (group_id, member_id, tenant_id) select $1, member_id, $2 from unnest($3::uuid[]) as member_id
     on conflict do nothing returning member_id as id`,
    [groupId, tenantId, uuids(memberIds)],
  );
  return rows.map(({ id }) => id);
}

/** Takes those out of the group, or, with `except`, all others. Returns who was in it. */
export async function removeScimMembers(
  tx: Transaction,
  groupId: string,
  { ids, except }: { ids: readonly string[]; except?: undefined } | { ids?: undefined; except: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `delete from scim_members where group_id = $1 and ${ids ? '' : 'not '}member_id = any($2) returning member_id as id`,
    [groupId, uuids(ids ?? except)],
  );
  return rows.map(({ id }) => id);
}

/** Takes a resource out of all groups. */
export async function leaveScimGroups(tx: Transaction, memberId: string): Promise<void> {
  await tx.query('delete from scim_members where member_id = $1', [memberId]);
}

export async function scimMemberIds(tx: Transaction, groupId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('select member_id as id from scim_members where group_id = $1', [
    groupId,
  ]);
  return rows.map(({ id }) => id);
}

/** Members of groups, at most `limit` in all. */
export async function membersOfGroups(tx: Transaction, groupIds: readonly string[], limit: number): Promise<ScimEnd[]> {
  return tx.query<ScimEnd>(
    `select m.group_id as of, r.id, r.kind, ${display} as display
       from scim_members m join scim_resources r on r.id = m.member_id
      where m.group_id = any($1) order by m.group_id, m.member_id limit $2`,
    [uuids(groupIds), limit],
  );
}

export async function groupsOfMembers(tx: Transaction, memberIds: readonly string[]): Promise<ScimEnd[]> {
  return tx.query<ScimEnd>(
    `select m.member_id as of, r.id, r.kind, ${display} as display
       from scim_members m join scim_resources r on r.id = m.group_id
      where m.member_id = any($1) order by m.member_id, m.group_id`,
    [uuids(memberIds)],
  );
}

const display = `coalesce(r.document ->> 'displayName', r.document ->> 'userName')`;
