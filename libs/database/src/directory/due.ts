// SQL by hand: one search for the work of all tenants, and the earliest of several index entries.

import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { planForValues, useIndexScans } from '../transaction-settings.js';
import { derivation, rederivedAt } from './derivation.js';
import { nextPassAt } from './finding-passes.js';
import { lockRecordsById, type StoredRecord } from './records.js';

/** A tenant with work, and its state before this work. */
export interface DueTenant {
  id: string;
  /** The event sequence, as texts of full precision. */
  last: string | null;
  lastAt: string | null;
  notes: number;
}

/**
 * Finds the tenants that may have time-based work: those whose time has come, those with a change since, and
 * those that an older version of this code served last. Reads one
 * row of three small tables for each tenant. Tenants that are being deleted have none.
 */
export async function findDueTenants(tx: Transaction): Promise<DueTenant[]> {
  return tx.query<DueTenant>(
    `select t.id, s.last::text, s.last_at::text as "lastAt", coalesce(d.notes, 0) as notes
       from tenants t
       left join due_tenants d on d.tenant_id = t.id
       left join event_sequences s on s.tenant_id = t.id
      where (d.tenant_id is null or d.derived_by < ${derivation} or d.next_at <= now() or s.last is distinct from d.seen_last
             or s.last_at is distinct from d.seen_last_at)
        and not exists (select from tenant_deletions where tenant_id = t.id)
      order by d.next_at nulls first, t.id`,
  );
}

/**
 * Saves when a tenant next has work, after its work was done. `unansweredSeconds` is the age at which the message of a
 * queued operation counts as lost, and `knownAt` a time that the caller knows. Work that was noted in the meantime is due
 * at once; a change in the meantime differs from the sequence before.
 */
export async function saveNextDue(
  tx: Transaction,
  { id, last, lastAt, notes }: DueTenant,
  unansweredSeconds: number,
  knownAt: Date | undefined,
): Promise<void> {
  await useIndexScans(tx);
  await tx.query(
    `insert into due_tenants as d (tenant_id, next_at, seen_last, seen_last_at, derived_by, notes)
     select $1, least($6::timestamptz, ${nextPassAt}, ${rederivedAt},
              (select due_at from source_records where tenant_id = $1 and due_at is not null order by due_at limit 1),
              (select purge_at from identities where tenant_id = $1 and purge_at is not null order by purge_at limit 1),
              (select announced_at + make_interval(secs => $5) from operations
                where tenant_id = $1 and status in ('queued', 'running') order by announced_at limit 1),
              (select now() from match_queue
                where tenant_id = $1 and not exists (select from matching_rules where tenant_id = $1 and former is not null) limit 1),
              (select accepted_until from findings
                where tenant_id = $1 and state = 'accepted' and accepted_until is not null order by accepted_until limit 1)),
            $2::bigint, $3::timestamptz, ${derivation}, $4::bigint
     on conflict (tenant_id) do update
        set next_at = case when d.notes = excluded.notes then excluded.next_at else '-infinity' end,
            seen_last = excluded.seen_last, seen_last_at = excluded.seen_last_at, derived_by = excluded.derived_by`,
    [id, last, lastAt, notes, unansweredSeconds, knownAt ?? null],
  );
}

/** Finds records whose status depends on time and is due to change: those that begin, or all others. Locks nothing. */
export async function findDueRecords(
  tx: Transaction,
  now: Date,
  { begin, limit }: { begin: boolean; limit: number },
): Promise<string[]> {
  return tx.ids(
    `select id from source_records
      where tenant_id = $1 and due_at <= $2 and (status = 'pending') = $4 order by due_at limit $3`,
    [tx.tenantId, now, limit, begin],
  );
}

/** Locks those of these records that are still due; skips records that another process has locked. */
export async function lockDueRecords(tx: Transaction, ids: readonly string[], now: Date): Promise<StoredRecord[]> {
  const due = await tx.ids(
    'select id from source_records where tenant_id = $1 and id = any($2) and due_at <= $3 for update skip locked',
    [tx.tenantId, uuids(ids), now],
  );
  return lockRecordsById(tx, due);
}

/** Deletes tombstones of erased identities whose retention has ended, and the redirects to them. */
export async function purgeErasedIdentities(
  tx: Transaction,
  now: Date,
  limit: number,
): Promise<{ status: string; createdAt: Date }[]> {
  await planForValues(tx);
  return tx.query(
    `with purged as (
       delete from identities where tenant_id = $1 and id = any(array(
         select id from identities where tenant_id = $1 and purge_at <= $2 limit $3 for update skip locked))
       returning id, status, created_at),
     gone as (delete from identity_redirects where tenant_id = $1 and into_id in (select id from purged))
     select status, created_at as "createdAt" from purged`,
    [tx.tenantId, now, limit],
  );
}
