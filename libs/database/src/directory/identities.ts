// SQL by hand: reads, locks and writes in bulk, benchmarked.
import type { PersonStatus } from '@idsync/contracts';
import { arraysOf, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { eventsAbout } from '../events-about.js';
import { withoutNulls } from '../rows.js';
import { planForValues } from '../transaction-settings.js';
import { derivation } from './derivation.js';
import { remainingLoad, reserveLoad } from './load-limit.js';

/** A row of identities. */
export interface StoredIdentity {
  id: string;
  displayName?: string;
  status: PersonStatus;
  createdAt: Date;
  updatedAt: Date;
  /** The public document as JSON text. */
  document: string;
  /** Set on the tombstone of an erased person: when the tombstone is deleted. */
  purgeAt?: Date;
}

export async function lockIdentities(tx: Transaction, ids: readonly string[]): Promise<StoredIdentity[]> {
  if (ids.length === 0) return [];
  // The size is known without reading the document, so that none is read if their sum is too large.
  const rows = await tx.query<StoredIdentity & { bytes: number }>(
    `with locked as materialized (
       select i.* from unnest($1::uuid[]) as n (id)
        cross join lateral (
          select id, display_name, status, created_at, updated_at, document, purge_at
            from identities where tenant_id = $3 and id = n.id limit 1 for update) i),
     size as (select coalesce(sum(octet_length(document)), 0)::bigint as bytes from locked)
     select id, display_name as "displayName", status, created_at as "createdAt", updated_at as "updatedAt",
            purge_at as "purgeAt", case when $2::bigint is null or bytes <= $2 then document end as document, bytes
       from locked cross join size`,
    [uuids([...new Set(ids)].sort()), remainingLoad(tx) ?? null, tx.tenantId],
  );
  reserveLoad(tx, rows[0]?.bytes ?? 0);
  return rows.map(({ bytes: _, ...row }) => withoutNulls(row));
}

/** Inserts new identities. Their ids are new too, and an insert that looks for conflicts takes a quarter longer. */
export const insertIdentities = saving('');

/** Updates stored identities by their primary key, whatever the statistics of the table are. */
export const updateIdentities = saving(
  `on conflict (tenant_id, id) do update
      set display_name = excluded.display_name, status = excluded.status, updated_at = excluded.updated_at,
          document = excluded.document, derived_by = excluded.derived_by`,
);

function saving(onConflict: string) {
  return async (tx: Transaction, identities: readonly StoredIdentity[]): Promise<void> => {
    if (identities.length === 0) return;
    await tx.query(
      `with saved as (
         insert into identities (tenant_id, derived_by, id, display_name, status, created_at, updated_at, document)
         select $1, ${derivation}, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::timestamptz[]),
            unnest($6::timestamptz[]), unnest($7::text[]) ${onConflict} returning 1)
       select`,
      [
        tx.tenantId,
        ...arraysOf(identities, { id: uuids, displayName: texts, status: texts }),
        ...arraysOf(identities, { createdAt: times, updatedAt: times, document: texts }),
      ],
    );
  };
}

/** Replaces identities that have no records left by redirects to the identities that have them now. */
export async function redirectIdentities(
  tx: Transaction,
  redirects: readonly { identity: StoredIdentity; intoId: string }[],
  now: Date,
): Promise<void> {
  const { tenantId } = tx;
  if (redirects.length === 0) return;
  await planForValues(tx);
  const ids = redirects.map(({ identity }) => identity.id);
  const into = redirects.map(({ intoId }) => intoId);
  await tx.query('delete from identities where tenant_id = $1 and id = any($2)', [tenantId, ids]);
  await tx.query(
    `insert into identity_redirects (tenant_id, merged_at, id, into_id, created_at)
     select $1, $2, * from unnest($3::uuid[], $4::uuid[], $5::timestamptz[]) returning 1`,
    [tenantId, now, ids, into, redirects.map(({ identity }) => identity.createdAt)],
  );
  await saveRedirectVersions(tx, 'into_id', ids, now);
  // Redirects to one of these identities are updated, so that every redirect is one step.
  await tx.query(
    `update identity_redirects r set into_id = n.into_id from unnest($2::uuid[], $3::uuid[]) as n (id, into_id)
      where r.tenant_id = $1 and r.into_id = n.id`,
    [tenantId, ids, into],
  );
}

/** A merged identity as it was. */
export interface EarlierIdentity {
  id: string;
  createdAt: Date;
  /** The last one; null if the history has been erased. */
  document: string | null;
}

/** Returns the identities of these ids that were merged into others. */
export async function findRedirects(tx: Transaction, ids: readonly string[]): Promise<EarlierIdentity[]> {
  return tx.query(
    `select id, created_at as "createdAt",
            (select document from identity_versions
              where tenant_id = $1 and identity_id = r.id and document <> ''
              order by valid_until desc, id desc limit 1) as document
       from identity_redirects r where tenant_id = $1 and id = any($2)`,
    [tx.tenantId, ids],
  );
}

/** Returns the ids of the identities that were merged into this one. */
export async function findMergedInto(tx: Transaction, identityId: string): Promise<string[]> {
  return tx.ids('select id from identity_redirects where tenant_id = $1 and into_id = $2', [tx.tenantId, identityId]);
}

/** Deletes the redirects of these ids. Ids that led to one of them before it was merged lead to it again. */
export async function restoreIdentities(tx: Transaction, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const returning = await tx.query<{ id: string; intoId: string }>(
    `select r.id, b.id as "intoId" from identity_redirects b
       join identity_redirects r on r.tenant_id = b.tenant_id and r.into_id = b.into_id
       join identity_versions v on v.tenant_id = r.tenant_id and v.identity_id = r.id and v.valid_until = b.merged_at
                               and v.into_id = b.id
      where b.tenant_id = $1 and b.id = any($2)`,
    [tx.tenantId, ids],
  );
  const returningIds = returning.map(({ id }) => id);
  await saveRedirectVersions(tx, 'id', [...ids, ...returningIds], now);
  await tx.query('delete from identity_redirects where tenant_id = $1 and id = any($2)', [tx.tenantId, ids]);
  await tx.query(
    `update identity_redirects r set into_id = n.into_id from unnest($2::uuid[], $3::uuid[]) as n (id, into_id)
      where r.tenant_id = $1 and r.id = n.id`,
    [tx.tenantId, returningIds, returning.map(({ intoId }) => intoId)],
  );
}

/** Stores the redirects of or to these identities before they change, for queries of a past time. */
async function saveRedirectVersions(
  tx: Transaction,
  side: 'id' | 'into_id',
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into identity_versions (tenant_id, identity_id, valid_until, document, into_id)
     select $1, id, $3, '', into_id from identity_redirects where tenant_id = $1 and ${side} = any($2) returning 1`,
    [tx.tenantId, ids, now],
  );
}

/** Replaces erased identities by tombstones, to be deleted at `purgeAt`. */
export async function saveTombstones(
  tx: Transaction,
  tombstones: readonly StoredIdentity[],
  purgeAt: Date,
): Promise<void> {
  if (tombstones.length === 0) return;
  await tx.query(
    `update identities i set display_name = null, status = n.status, updated_at = n.updated_at, document = n.document, purge_at = $2
       from unnest($3::uuid[], $4::text[], $5::timestamptz[], $6::text[]) as n (id, status, updated_at, document)
      where i.tenant_id = $1 and i.id = n.id`,
    [tx.tenantId, purgeAt, ...arraysOf(tombstones, { id: uuids, status: texts, updatedAt: times, document: texts })],
  );
}

/** Deletes identities without records, with their history. */
export async function removeIdentities(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await eraseIdentityHistory(tx, ids);
  // An erasure can no longer name these identities.
  await tx.query('delete from former_references where tenant_id = $1 and identity_id = any($2)', [tx.tenantId, ids]);
  await tx.query('delete from identity_redirects where tenant_id = $1 and into_id = any($2)', [tx.tenantId, ids]);
  await tx.query('delete from identities where tenant_id = $1 and id = any($2)', [tx.tenantId, ids]);
}

/** Deletes earlier versions of these identities and the values in their events. Events keep their type and time. */
export async function eraseIdentityHistory(tx: Transaction, ids: readonly string[]): Promise<void> {
  await planForValues(tx);
  const lineage = `select unnest($2::uuid[]) union select id from identity_redirects where tenant_id = $1 and into_id = any($2)`;
  await tx.query(`delete from identity_versions where tenant_id = $1 and identity_id in (${lineage})`, [
    tx.tenantId,
    ids,
  ]);
  await tx.query(
    `update events e set details = e.details - 'changes' from ${eventsAbout('identity_id', `array(${lineage})`)} as about
      where e.tenant_id = $1 and e.sequence = about.sequence and e.details ? 'changes'`,
    [tx.tenantId, ids],
  );
}
