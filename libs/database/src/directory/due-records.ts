// SQL by hand: bulk locks and deletions that skip locked rows.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { planForValues } from '../transaction-settings.js';
import { lockRecordsById, type StoredRecord } from './records.js';

export interface DueRecord {
  id: string;
  /** True for a machine identity stored before references were; processing it stores its references. */
  bringsReferences: boolean;
}

/** Finds records whose status depends on time and is due to change: those that begin, or all others. Locks nothing. */
export async function findDueRecords(
  tx: Transaction,
  tenantId: string,
  now: Date,
  { begin, limit }: { begin: boolean; limit: number },
): Promise<DueRecord[]> {
  return tx.query(
    `select id, kind = 'machine_identity' and machine is null as "bringsReferences"
       from source_records where tenant_id = $1 and due_at <= $2 and (status = 'pending') = $4 order by due_at limit $3`,
    [tenantId, now, limit, begin],
  );
}

/** Locks those of these records that are still due; skips records that another process has locked. */
export async function lockDueRecords(tx: Transaction, ids: readonly string[], now: Date): Promise<StoredRecord[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from source_records where id = any($1) and due_at <= $2 for update skip locked',
    [uuids(ids), now],
  );
  return lockRecordsById(
    tx,
    rows.map(({ id }) => id),
  );
}

/** Deletes tombstones of erased identities whose retention has ended, and the redirects to them. */
export async function purgeErasedIdentities(
  tx: Transaction,
  tenantId: string,
  now: Date,
  limit: number,
): Promise<{ status: string; createdAt: Date }[]> {
  await planForValues(tx);
  return tx.query(
    `with purged as (
       delete from identities where id in (
         select id from identities where tenant_id = $1 and purge_at <= $2 limit $3 for update skip locked)
       returning id, status, created_at),
     gone as (delete from identity_redirects where into_id in (select id from purged))
     select status, created_at as "createdAt" from purged`,
    [tenantId, now, limit],
  );
}
