// SQL by hand: inserts and locks in bulk, benchmarked.
import type { KeyKind } from '@idsync/contracts';
import { arraysOf, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** A normalised value that refers to at most one identity within a tenant. */
export interface CorrelationKey {
  kind: KeyKind;
  value: string;
}

/** The owner of a key: one identity, no identity yet, or several identities that cannot be one person. */
export interface HeldKey extends CorrelationKey {
  identityId?: string;
  /**
   * `contested`: contested_keys lists the records that have it; `common`: too many records have it to identify a
   * person.
   */
  shared?: 'contested' | 'common';
  /** The expected identity written for a new key. If this identity is created, the key needs no second write. */
  expectedId?: string;
}

/** A key to be locked. `expectedId` is the identity that will probably own it, if it has no owner yet. */
export interface WantedKey extends CorrelationKey {
  expectedId?: string;
}

export interface ContestedKey extends CorrelationKey {
  recordId: string;
}

/**
 * Creates missing keys, locks all of them, and returns their owners. The row locks serialise only batches that concern
 * the same person: an insert waits for a concurrent insert of the same key, and the sorted order prevents deadlocks.
 */
export async function lockKeys(tx: Transaction, keys: readonly WantedKey[]): Promise<HeldKey[]> {
  if (keys.length === 0) return [];
  const sorted = [...keys].sort((a, b) => compare(a.kind, b.kind) || compare(a.value, b.value));
  const values = keyColumns(tx.tenantId, sorted);
  const inserted = await tx.count(
    `with inserted as (
       insert into correlation_keys (tenant_id, kind, value, identity_id)
       select $1, unnest($2::text[]), unnest($3::text[]), unnest($4::uuid[])
       on conflict do nothing returning 1)
     select count(*) from inserted`,
    [...values, uuids(sorted.map(({ expectedId }) => expectedId))],
  );
  // In a first import all keys are new, so no other transaction can have them.
  if (inserted === sorted.length) return sorted;
  const expected = new Map(sorted.map((key) => [`${key.kind} ${key.value}`, key.expectedId]));
  const rows = await tx.query<{ [Field in keyof Omit<HeldKey, 'expectedId'>]: HeldKey[Field] | null }>(
    // Looks up and locks one key after another, in the order of the insert.
    `select c.kind, c.value, c.identity_id as "identityId", c.shared
       from unnest($2::text[], $3::text[]) as k (kind, value)
      cross join lateral (select kind, value, identity_id, shared from correlation_keys
                           where tenant_id = $1 and kind = k.kind and value = k.value limit 1 for update) c`,
    values,
  );
  const held = rows.map(({ kind, value, identityId, shared }) => ({
    kind: kind as KeyKind,
    value: value as string,
    // An identity that does not exist yet can only come from the insert above.
    ...(identityId && (expected.get(`${kind} ${value}`) === identityId ? { expectedId: identityId } : { identityId })),
    ...(shared && { shared }),
  }));
  if (held.length === sorted.length) return held;
  // Keys that another transaction deleted while this one waited are inserted again.
  const found = new Set(held.map(({ kind, value }) => `${kind} ${value}`));
  const lost = sorted.filter(({ kind, value }) => !found.has(`${kind} ${value}`));
  return [...held, ...(await lockKeys(tx, lost))];
}

/** Saves the owners of locked keys. */
export async function assignKeys(tx: Transaction, keys: readonly HeldKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `update correlation_keys c set identity_id = k.identity_id, shared = k.shared
       from unnest($2::text[], $3::text[], $4::uuid[], $5::text[]) as k (kind, value, identity_id, shared)
      where c.tenant_id = $1 and c.kind = k.kind and c.value = k.value`,
    [tx.tenantId, ...arraysOf(keys, { kind: texts, value: texts, identityId: uuids, shared: texts })],
  );
}

/** Deletes locked keys that no record has any longer. */
export async function releaseKeys(tx: Transaction, keys: readonly CorrelationKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from correlation_keys c using unnest($2::text[], $3::text[]) as k (kind, value)
      where c.tenant_id = $1 and c.kind = k.kind and c.value = k.value`,
    keyColumns(tx.tenantId, keys),
  );
}

/** Finds the identities whose records, or former records, contest these keys. */
export async function findContestants(tx: Transaction, keys: readonly CorrelationKey[]): Promise<string[]> {
  if (keys.length === 0) return [];
  return tx.ids(
    // One index lookup per key: this runs for all keys of a batch, and few of them are contested; most tenants have none.
    `select distinct r.identity_id as id
       from unnest($2::text[], $3::text[]) as k (kind, value)
      cross join lateral (select record_id from contested_keys
                           where tenant_id = $1 and kind = k.kind and value = k.value offset 0) c
      cross join lateral (select identity_id from source_records where tenant_id = $1 and id = c.record_id offset 0) r
      where r.identity_id is not null and (select exists (select from contested_keys where tenant_id = $1))`,
    keyColumns(tx.tenantId, keys),
  );
}

/** Finds the contested keys of these records. */
export async function findContestedKeysOf(tx: Transaction, recordIds: readonly string[]): Promise<CorrelationKey[]> {
  if (recordIds.length === 0) return [];
  return tx.query<CorrelationKey>(
    'select distinct kind, value from contested_keys where tenant_id = $1 and record_id = any($2)',
    [tx.tenantId, recordIds],
  );
}

/** Replaces the records that contest these keys; a key without records is no longer contested. */
export async function saveContests(
  tx: Transaction,
  keys: readonly CorrelationKey[],
  contests: readonly ContestedKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from contested_keys c using unnest($2::text[], $3::text[]) as k (kind, value)
      where c.tenant_id = $1 and c.kind = k.kind and c.value = k.value`,
    keyColumns(tx.tenantId, keys),
  );
  if (contests.length === 0) return;
  await tx.query(
    `insert into contested_keys (tenant_id, kind, value, record_id)
     select $1, * from unnest($2::text[], $3::text[], $4::uuid[]) on conflict do nothing`,
    [tx.tenantId, ...arraysOf(contests, { kind: texts, value: texts, recordId: uuids })],
  );
}

/** Finds accounts and machine identities that wait for one of these keys; `offset 0` keeps it a lookup for each key. */
export async function findWaitingRecords(tx: Transaction, keys: readonly CorrelationKey[]): Promise<string[]> {
  if (keys.length === 0) return [];
  return tx.ids(
    `select distinct w.record_id as id
       from unnest($2::text[], $3::text[]) as k (kind, value)
      cross join lateral (select record_id from waiting_records
                           where tenant_id = $1 and kind = k.kind and value = k.value offset 0) w`,
    keyColumns(tx.tenantId, keys),
  );
}

/** Replaces the keys that these records wait for; with an empty list a record no longer waits. */
export async function setWaiting(
  tx: Transaction,
  records: readonly { id: string; keys: readonly CorrelationKey[] }[],
): Promise<void> {
  if (records.length === 0) return;
  await tx.query('delete from waiting_records where tenant_id = $1 and record_id = any($2)', [
    tx.tenantId,
    records.map((record) => record.id),
  ]);
  const rows = records.flatMap((record) => record.keys.map((key) => ({ ...key, id: record.id })));
  if (rows.length === 0) return;
  await tx.query(
    `insert into waiting_records (tenant_id, kind, value, record_id)
     select $1, * from unnest($2::text[], $3::text[], $4::uuid[]) on conflict do nothing`,
    [tx.tenantId, ...arraysOf(rows, { kind: texts, value: texts, id: uuids })],
  );
}

/** Deletes the keys that too many records had by other rules; they are counted again. */
export async function clearCommonKeys(tx: Transaction): Promise<void> {
  await tx.query(`delete from correlation_keys where tenant_id = $1 and shared = 'common'`, [tx.tenantId]);
}

function keyColumns(tenantId: string, keys: readonly CorrelationKey[]): unknown[] {
  return [tenantId, ...arraysOf(keys, { kind: texts, value: texts })];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
