import type { MatchingKey } from '@idsync/contracts';
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** A normalised value that points at one identity at the most, within one tenant. */
export interface CorrelationKey {
  kind: MatchingKey;
  value: string;
}

/** Whose a key is: one identity's, nobody's yet, or that of several identities that cannot be one person. */
export interface HeldKey extends CorrelationKey {
  identityId?: string;
  /** `contested`: the records that have it stand in contested_keys; `common`: so many have it that it says nothing. */
  shared?: 'contested' | 'common';
  /** What was written for a key that is new: nobody's yet, but a second write is saved if this identity becomes its own. */
  expectedId?: string;
}

/** A key to be locked, and the identity to be made whose it will probably be, if nobody has it yet. */
export interface WantedKey extends CorrelationKey {
  expectedId?: string;
}

export interface ContestedKey extends CorrelationKey {
  recordId: string;
}

/**
 * Makes sure the keys exist, locks them, and tells whose they are. The rows serialise just those batches that speak of
 * the same person: the insert waits for whoever is inserting the same key, and the sorted order keeps two batches from
 * waiting for each other.
 */
export async function lockKeys(tx: Transaction, tenantId: string, keys: readonly WantedKey[]): Promise<HeldKey[]> {
  if (keys.length === 0) return [];
  const sorted = [...keys].sort((a, b) => compare(a.kind, b.kind) || compare(a.value, b.value));
  const values = keyColumns(tenantId, sorted);
  const [inserted] = await tx.query<{ count: number }>(
    `with inserted as (
       insert into correlation_keys (tenant_id, kind, value, identity_id)
       select $1, kind, value, identity_id
         from unnest($2::text[], $3::text[], $4::uuid[]) with ordinality as k (kind, value, identity_id, ordinal) order by ordinal
       on conflict do nothing returning 1)
     select count(*) from inserted`,
    [...values, uuids(sorted.map((key) => key.expectedId))],
  );
  // A first import brings nothing but new keys: nobody else can have them, so there is nothing to lock and read.
  if (inserted?.count === sorted.length) return sorted;
  const expected = new Map(sorted.map((key) => [`${key.kind} ${key.value}`, key.expectedId]));
  const rows = await tx.query<{ [Field in keyof Omit<HeldKey, 'expectedId'>]: HeldKey[Field] | null }>(
    // One look-up and one lock after another, in the order of the insert.
    `select c.kind, c.value, c.identity_id as "identityId", c.shared
       from unnest($2::text[], $3::text[]) as k (kind, value)
      cross join lateral (select kind, value, identity_id, shared from correlation_keys
                           where tenant_id = $1 and kind = k.kind and value = k.value limit 1 for update) c`,
    values,
  );
  const held = rows.map(({ kind, value, identityId, shared }) => ({
    kind: kind as MatchingKey,
    value: value as string,
    // An identity that is yet to be made can only have come from the insert above.
    ...(identityId && (expected.get(`${kind} ${value}`) === identityId ? { expectedId: identityId } : { identityId })),
    ...(shared && { shared }),
  }));
  if (held.length === sorted.length) return held;
  // What its holder let go of while this waited for it is gone, and nobody's: it is taken anew.
  const found = new Set(held.map(({ kind, value }) => `${kind} ${value}`));
  const lost = sorted.filter(({ kind, value }) => !found.has(`${kind} ${value}`));
  return [...held, ...(await lockKeys(tx, tenantId, lost))];
}

/** Writes whose locked keys are from now on. */
export async function assignKeys(tx: Transaction, tenantId: string, keys: readonly HeldKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `update correlation_keys c set identity_id = k.identity_id, shared = k.shared
       from unnest($2::text[], $3::text[], $4::uuid[], $5::text[]) as k (kind, value, identity_id, shared)
      where c.tenant_id = $1 and c.kind = k.kind and c.value = k.value`,
    [...keyColumns(tenantId, keys), uuids(keys.map((key) => key.identityId)), texts(keys.map((key) => key.shared))],
  );
}

/** Removes locked keys that nobody has any more. */
export async function releaseKeys(tx: Transaction, tenantId: string, keys: readonly CorrelationKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from correlation_keys c using unnest($2::text[], $3::text[]) as k (kind, value)
      where c.tenant_id = $1 and c.kind = k.kind and c.value = k.value`,
    keyColumns(tenantId, keys),
  );
}

/** The identities whose records contest these keys. */
export async function findContestants(
  tx: Transaction,
  tenantId: string,
  keys: readonly CorrelationKey[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `select distinct r.identity_id as id
       from contested_keys c join unnest($2::text[], $3::text[]) as k (kind, value) using (kind, value)
       join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and r.identity_id is not null`,
    keyColumns(tenantId, keys),
  );
  return rows.map((row) => row.id);
}

/** The contested keys these records have a part in. */
export async function findContestedKeysOf(tx: Transaction, recordIds: readonly string[]): Promise<CorrelationKey[]> {
  if (recordIds.length === 0) return [];
  return tx.query<CorrelationKey>('select distinct kind, value from contested_keys where record_id = any($1)', [
    recordIds,
  ]);
}

/** Replaces who contests these keys; a key without a row is contested no more. */
export async function saveContests(
  tx: Transaction,
  tenantId: string,
  keys: readonly CorrelationKey[],
  contests: readonly ContestedKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from contested_keys c using unnest($2::text[], $3::text[]) as k (kind, value)
      where c.tenant_id = $1 and c.kind = k.kind and c.value = k.value`,
    keyColumns(tenantId, keys),
  );
  if (contests.length === 0) return;
  await tx.query(
    `insert into contested_keys (tenant_id, kind, value, record_id)
     select $1, * from unnest($2::text[], $3::text[], $4::uuid[]) on conflict do nothing`,
    [...keyColumns(tenantId, contests), contests.map((contest) => contest.recordId)],
  );
}

/** Accounts and machines that wait for one of these keys. */
export async function findWaitingRecords(
  tx: Transaction,
  tenantId: string,
  keys: readonly CorrelationKey[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `select distinct w.record_id as id
       from unnest($2::text[], $3::text[]) as k (kind, value)
      cross join lateral (select record_id from waiting_records
                           where tenant_id = $1 and kind = k.kind and value = k.value offset 0) w`,
    keyColumns(tenantId, keys),
  );
  return rows.map((row) => row.id);
}

/** Replaces what these records wait for; an empty list of keys means they wait no longer. */
export async function setWaiting(
  tx: Transaction,
  tenantId: string,
  records: readonly { id: string; keys: readonly CorrelationKey[] }[],
): Promise<void> {
  if (records.length === 0) return;
  await tx.query('delete from waiting_records where record_id = any($1)', [records.map((record) => record.id)]);
  const rows = records.flatMap((record) => record.keys.map((key) => ({ ...key, id: record.id })));
  if (rows.length === 0) return;
  await tx.query(
    `insert into waiting_records (tenant_id, kind, value, record_id)
     select $1, * from unnest($2::text[], $3::text[], $4::uuid[]) on conflict do nothing`,
    [...keyColumns(tenantId, rows), rows.map((row) => row.id)],
  );
}

/** Forgets whose every key of a tenant is and who waits for it; whoever calls it assigns them anew in the same transaction. */
export async function clearKeys(tx: Transaction, tenantId: string): Promise<void> {
  for (const table of ['correlation_keys', 'contested_keys', 'waiting_records']) {
    await tx.query(`delete from ${table} where tenant_id = $1`, [tenantId]);
  }
}

function keyColumns(tenantId: string, keys: readonly CorrelationKey[]): [string, Buffer, Buffer] {
  return [tenantId, texts(keys.map((key) => key.kind)), texts(keys.map((key) => key.value))];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
