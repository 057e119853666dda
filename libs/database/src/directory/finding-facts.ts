// SQL by hand: facts about many records by lateral joins, which remain index lookups in tables without statistics.
import { type ConnectorType, machineAttributeField, type PersonStatus } from '@idsync/contracts';
import { integers, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { useIndexScans } from '../transaction-settings.js';

export interface UserFacts {
  id: string;
  connectorId: string;
  identityId: string | null;
  status: PersonStatus;
  /** The manager as the source names them. */
  managerText: string | null;
  managerId: string | null;
  managerStatus: PersonStatus | null;
  /** Earlier present users of the same source: of the same identity, or with the same employee number. */
  earlierIds: string[] | null;
  /** The user of a source of higher precedence for the status that no longer lists the person. */
  leftUserId: string | null;
  leftConnectorId: string | null;
  leftAt: Date | null;
  /**
   * The user of an employment that has ended: of equal or higher precedence, although this one runs and did not follow it,
   * or of a lower one that ends the access, although this source lists the person as active.
   */
  endedUserId: string | null;
  endedConnectorId: string | null;
  endedAt: Date | null;
  /** The attribute by which the user looks like a machine. */
  machineAttribute: string | null;
}

const present = `('active', 'pending', 'suspended')`;

/**
 * Reads the facts about users that name a manager, have an earlier user, look like a machine or are no longer listed by the
 * source that decided their status, or are employed although a preceding source says that they have left; the others,
 * nearly all, have no findings. `ranks` has the precedence of each connector for the status; `employments` are the
 * connectors that list employments. A deleted record with a job of another connector was handed over, and an employment of
 * equal precedence that began later is a transfer.
 * Columns that are not part of the index condition are compared outside `offset 0`.
 */
export async function findUserFacts(
  tx: Transaction,
  ids: readonly string[],
  { ranks, employments }: { ranks: ReadonlyMap<string, number>; employments: readonly string[] },
): Promise<UserFacts[]> {
  if (ids.length === 0) return [];
  // The statistics of contested keys may be those of an empty table.
  await useIndexScans(tx);
  return tx.query(
    `select r.id, r.connector_id as "connectorId", r.identity_id as "identityId", r.status, r.manager as "managerText",
            r.manager_id as "managerId", manager.status as "managerStatus", earlier.ids as "earlierIds",
            r.machine_attribute as "machineAttribute", gone.id as "leftUserId", gone.connector_id as "leftConnectorId", gone.status_since as "leftAt",
            coalesce(ended.id, overruling.id) as "endedUserId",
            coalesce(ended.connector_id, overruling.connector_id) as "endedConnectorId",
            coalesce(ended.status_since, overruling.status_since) as "endedAt"
       from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select id, connector_id, identity_id, status, created_at, manager_id, fields -> 'manager_id' ->> 0 as manager,
               left(fields -> 'hire_date' ->> 0, 10) as hired,
               fields -> '${machineAttributeField}' ->> 0 as machine_attribute
          from source_records where tenant_id = $1 and id = n.id limit 1) r
       left join lateral (
         select status from identities where tenant_id = $1 and id = r.manager_id limit 1) manager on true
       left join lateral (
         select array_agg(o.id order by o.created_at, o.id) as ids from (
           select id, kind, connector_id, status, created_at
             from (select * from source_records where tenant_id = $1 and identity_id = r.identity_id offset 0) same
           union
           select o.id, o.kind, o.connector_id, o.status, o.created_at
             from (select kind, value from contested_keys where tenant_id = $1 and record_id = r.id offset 0) k
            cross join lateral (select record_id from contested_keys
                                 where tenant_id = $1 and kind = k.kind and value = k.value offset 0) c
            cross join lateral (select id, kind, connector_id, status, created_at from source_records
                                 where tenant_id = $1 and id = c.record_id limit 1) o
            where k.kind = 'employee_number') o
          where o.kind = 'user' and o.connector_id = r.connector_id and o.status in ${present}
            and (o.created_at, o.id) < (r.created_at, r.id)) earlier on true
       left join lateral (
         select u.id, u.connector_id, u.status_since from (
           select u.*, c.rank, min(c.rank) filter (where u.status in ${present}) over () as first_present
             from (select id, kind, status, connector_id, content_hash, status_since, last_job_id,
                          left(fields -> 'hire_date' ->> 0, 10) as hired
                     from source_records where tenant_id = $1 and identity_id = r.identity_id offset 0) u
             join unnest($3::uuid[], $4::integer[]) as c (id, rank) on c.id = u.connector_id
            where u.kind = 'user') u
             join unnest($3::uuid[], $4::integer[]) as own (id, rank) on own.id = r.connector_id
          where u.status = 'deleted' and u.content_hash = '' and own.rank = u.first_present
            and (u.rank < u.first_present or (u.rank = u.first_present and u.connector_id <> r.connector_id
                                              and u.connector_id = any($5) and r.connector_id = any($5)
                                              and (u.hired < r.hired) is not true))
            and not exists (select from sync_jobs where tenant_id = $1 and id = u.last_job_id and connector_id <> u.connector_id)
          order by u.rank, u.id limit 1) gone on true
       left join lateral (
         select u.id, u.connector_id, u.status_since from (
           select u.*, c.rank, min(c.rank) filter (where u.status in ('active', 'suspended')) over () as first_running
             from (select id, kind, status, connector_id, status_since, left(fields -> 'termination_date' ->> 0, 10) as ends
                     from source_records where tenant_id = $1 and identity_id = r.identity_id offset 0) u
             join unnest($3::uuid[], $4::integer[]) as c (id, rank) on c.id = u.connector_id
            where u.kind = 'user' and u.connector_id = any($5)) u
             join unnest($3::uuid[], $4::integer[]) as own (id, rank) on own.id = r.connector_id
          where u.status = 'inactive' and u.rank <= u.first_running and u.connector_id <> r.connector_id
            and own.rank = u.first_running
            and (u.ends is null or r.hired is null or u.ends > r.hired)
          order by u.rank, u.id limit 1) ended on r.connector_id = any($5) and r.status in ('active', 'suspended')
       left join lateral (
         select u.id, u.connector_id, u.status_since
           from (select id, kind, status, connector_id, status_since from source_records
                  where tenant_id = $1 and identity_id = r.identity_id offset 0) u
           join unnest($3::uuid[], $4::integer[]) as c (id, rank) on c.id = u.connector_id
           join unnest($3::uuid[], $4::integer[]) as own (id, rank) on own.id = r.connector_id
          where u.kind = 'user' and u.status = 'inactive' and u.connector_id = any($5) and own.rank < c.rank
            and (select status from identities where tenant_id = $1 and id = r.identity_id limit 1) = 'inactive'
          order by c.rank, u.id limit 1) overruling on r.status = 'active' and not r.connector_id = any($5)
      where r.status in ${present} and (
        r.manager is not null or r.manager_id is not null or earlier.ids is not null or gone.id is not null or ended.id is not null or overruling.id is not null
        or r.machine_attribute is not null)`,
    [tx.tenantId, uuids(ids), uuids([...ranks.keys()]), integers([...ranks.values()]), uuids(employments)],
  );
}

/** Cycles of more people than this are not found; it bounds the work for a chain of any length. */
const longestCycle = 100;

/**
 * Finds the cycles of managers that begin with these identities. A cycle begins with its lowest id, so a walk ends at a
 * lower one. The manager of an identity is that of its primary user in the first source by these ranks.
 */
export async function findManagerCycles(
  tx: Transaction,
  identityIds: readonly string[],
  ranks: ReadonlyMap<string, number>,
): Promise<{ identityId: string; path: string[] }[]> {
  if (identityIds.length === 0) return [];
  return tx.query(
    `with recursive walk as (
       select id as start, id as at, array[id] as path from unnest($2::uuid[]) as s (id)
       union all
       select w.start, next.id, w.path || next.id
         from walk w
        cross join lateral (
          select u.manager_id as id
            from (select * from source_records where tenant_id = $1 and identity_id = w.at offset 0) u
           where u.kind = 'user' and u.status in ${present} and u.fields ? 'manager_id'
           order by ($4::integer[])[array_position($3::uuid[], u.connector_id)], u.status = 'active' desc,
                    u.fields -> 'hire_date' ->> 0 desc nulls last, u.external_id
           limit 1) next
        where next.id >= w.start and next.id <> w.at and (w.at <> w.start or cardinality(w.path) = 1)
          and cardinality(w.path) <= ${longestCycle})
     select start as "identityId", path[1:cardinality(path) - 1] as path from walk where at = start and cardinality(path) > 1`,
    [tx.tenantId, uuids(identityIds), uuids([...ranks.keys()]), integers([...ranks.values()])],
  );
}

export interface OtherFacts {
  id: string;
  kind: 'account' | 'machine_identity';
  connectorId: string;
  identityId: string | null;
  status: string;
  createdAt: Date;
  identityStatus: PersonStatus | null;
  /** Machine identities: the person that the source names as the owner, if known. */
  ownerId: string | null;
  ownerStatus: PersonStatus | null;
  handedOver: boolean;
  /** The person is to return: pending since an employment ended, or since a leaver. */
  isReturning: boolean;
  /** When idsync recorded that the owner of the account or machine identity left. */
  leftAt: Date | null;
  /** Dates of the owner, as the source gives them. */
  hireDate: string | null;
  terminationDates: string[] | null;
  /** The attribute by which the account looks like a machine. */
  machineAttribute: string | null;
  /** The open review case of the account, which another person may have. */
  caseId: string | null;
}

/**
 * Reads the facts about accounts and machine identities. The person is a separate column, because PostgreSQL scans the
 * table for a comparison with an expression. `employments` are the connectors that list employments.
 */
export async function findOtherFacts(
  tx: Transaction,
  ids: readonly string[],
  employments: readonly string[],
): Promise<OtherFacts[]> {
  if (ids.length === 0) return [];
  return tx.query(
    `select r.id, r.kind, r.connector_id as "connectorId", r.identity_id as "identityId", r.status,
            r.created_at as "createdAt", i.status as "identityStatus", o.identity_id as "ownerId",
            owner.status as "ownerStatus", coalesce(r.handed_over, false) as "handedOver",
            coalesce(person.status = 'pending' and (gone.has_ended or lost.at is not null), false) as "isReturning",
            coalesce(gone.at, lost.at) as "leftAt", review.id as "caseId",
            r.machine_attribute as "machineAttribute", gone.hired as "hireDate", gone.ends as "terminationDates"
       from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select id, kind, connector_id, identity_id, status, created_at, (machine -> 'handedOver')::boolean as handed_over,
               fields -> '${machineAttributeField}' ->> 0 as machine_attribute
          from source_records where tenant_id = $1 and id = n.id limit 1) r
       left join lateral (
         select status from identities where tenant_id = $1 and id = r.identity_id limit 1) i on r.kind = 'account'
       left join lateral (
         select identity_id from machine_references
          where tenant_id = $1 and record_id = r.id and role = 'owned_by' limit 1) o on r.kind = 'machine_identity'
       left join lateral (
         select status from identities where tenant_id = $1 and id = o.identity_id limit 1) owner on true
      cross join lateral (
        select coalesce(o.identity_id, r.identity_id) as id, coalesce(owner.status, i.status) as status offset 0) person
       left join lateral (
         select id from review_cases where r.kind = 'account' and tenant_id = $1 and record_id = r.id and status = 'open'
          limit 1) review on true
       left join lateral (
         select max(occurred_at) as at from events
          where person.status = 'pending' and tenant_id = $1 and identity_id = person.id and type = 'lifecycle.leaver'
       ) lost on true
       left join lateral (
         select status_since as at, fields -> 'hire_date' ->> 0 as hired, fields -> 'termination_date' as ends,
                bool_or(status = 'inactive' and connector_id = any($3)) over () as has_ended
           from (select kind, status, connector_id, status_since, fields from source_records
                  where tenant_id = $1 and identity_id = person.id offset 0) u
          where u.kind = 'user' and u.status in ('inactive', 'deleted')
          order by status_since desc nulls last, fields -> 'termination_date' ->> 0 desc nulls last limit 1) gone on true
      where r.status in ('active', 'locked', 'orphaned')`,
    [tx.tenantId, uuids(ids), uuids(employments)],
  );
}

export interface SourceFacts {
  id: string;
  type: ConnectorType;
  createdAt: Date;
  /** Start of the last run that read the whole source. */
  completeAsOf: Date | null;
}

/** Reads the facts about a tenant's connectors that are not deleted, a few dozen rows. */
export async function findSourceFacts(tx: Transaction): Promise<SourceFacts[]> {
  return tx.query(
    `select c.id, c.type, c.created_at as "createdAt", s.complete_as_of as "completeAsOf"
       from connectors c
       left join lateral (
         select complete_as_of from connector_states where tenant_id = $1 and connector_id = c.id limit 1) s on true
      where c.tenant_id = $1 and c.deleted_at is null order by c.id`,
    [tx.tenantId],
  );
}
