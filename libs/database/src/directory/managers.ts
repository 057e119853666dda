// SQL by hand: lookups in bulk by lateral joins, which remain index lookups in tables without statistics.
import type { KeyKind } from '@idsync/contracts';
import { arraysOf, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Reference of a user to the manager, as its source gives it. */
export interface ManagerReference {
  recordId: string;
  connectorId: string;
  /** As the source wrote it, trimmed. */
  text: string;
  /** Normalised for a comparison with match keys. */
  value: string;
}

/** Identities that a reference may stand for. */
export interface ManagerCandidates {
  recordId: string;
  /** The user of the same source with this external id. */
  sameSource: string | null;
  /** The holder of the match key of the highest rank. */
  keyHolder: string | null;
  /** The only identity that has this external id in another source of people. */
  otherSource: string | null;
}

/** Where the references are looked up. */
export interface ManagerScope {
  /** The match keys in the order of their rank. */
  kinds: readonly KeyKind[];
  /** The sources of people. */
  connectorIds: readonly string[];
  /** Records with the identity that they are about to have. */
  moving?: readonly { id: string; identityId: string }[];
}

/** Finds the identities that these references may stand for. */
export async function findManagerCandidates(
  tx: Transaction,
  { kinds, connectorIds, moving = [] }: ManagerScope,
  references: readonly ManagerReference[],
): Promise<ManagerCandidates[]> {
  if (references.length === 0) return [];
  return tx.query(
    `select n.record_id as "recordId", own.identity_id as "sameSource", key.identity_id as "keyHolder",
            other.identity_id as "otherSource"
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) as n (record_id, connector_id, text, value)
       left join lateral (${userNamed('n.connector_id')}) own on true
       left join lateral (
         select holder.identity_id from unnest($6::text[]) with ordinality as k (kind, rank)
          cross join lateral (select identity_id from correlation_keys
                               where tenant_id = $1 and kind = k.kind and value = n.value limit 1) holder
          where holder.identity_id is not null order by k.rank limit 1) key on true
       left join lateral (
         select min(found.identity_id::text)::uuid as identity_id from unnest($7::uuid[]) as c (id)
          cross join lateral (${userNamed('c.id')}) found
         having count(distinct found.identity_id) = 1) other on true`,
    [
      tx.tenantId,
      ...arraysOf(references, { recordId: uuids, connectorId: uuids, text: texts, value: texts }),
      texts(kinds),
      uuids(connectorIds),
      ...arraysOf(moving, { id: uuids, identityId: uuids }),
    ],
  );
}

// `offset 0`, here and in the other statements: one index lookup for each row, also in a table without statistics.
const userNamed = (connectorId: string) => `
  select coalesce(m.identity_id, u.identity_id) as identity_id
    from (select id, identity_id, kind from source_records
           where tenant_id = $1 and connector_id = ${connectorId} and external_id = n.text offset 0) u
    left join unnest($8::uuid[], $9::uuid[]) as m (id, identity_id) on m.id = u.id
   where kind = 'user' and coalesce(m.identity_id, u.identity_id) is not null limit 1`;

export interface ReferringUser {
  id: string;
  connectorId: string;
  identityId: string | null;
  text: string;
  managerId: string | null;
}

/** Reads the references of those of these users that have one. */
export async function findReferringUsers(tx: Transaction, ids: readonly string[]): Promise<ReferringUser[]> {
  return tx.query(
    `select r.* from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select id, connector_id as "connectorId", identity_id as "identityId", manager_id as "managerId",
               fields -> 'manager_id' ->> 0 as text
          from source_records where tenant_id = $1 and id = n.id limit 1) r
      where r.text is not null or r."managerId" is not null`,
    [tx.tenantId, uuids(ids)],
  );
}

/** Finds the users whose manager is one of these identities. */
export async function findManagedUsers(tx: Transaction, identityIds: readonly string[]): Promise<string[]> {
  return tx.ids(
    `select r.id from unnest($2::uuid[]) as n (id)
      cross join lateral (select id from source_records where tenant_id = $1 and manager_id = n.id offset 0) r
      order by r.id`,
    [tx.tenantId, uuids(identityIds)],
  );
}
