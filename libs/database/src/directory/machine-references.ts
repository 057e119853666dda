import type { MachineReference, MatchingKey } from '@idsync/contracts';
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Whom a machine's record names in one role. */
export interface StoredReference {
  recordId: string;
  role: MachineReference;
  /** What its source wrote, normalised; absent where the identity follows from something else. */
  value?: string;
  /** Who that is; kept when that identity is gone, as long as the source says nothing else. */
  identityId?: string;
}

/**
 * Holds a tenant's people still until the commit, for those who bring references: whoever arrives at the same time is then
 * either seen by the reference or finds it. Those who bring people share it and do not wait for each other.
 */
export async function lockReferences(tx: Transaction, tenantId: string, how: 'alone' | 'shared'): Promise<void> {
  const lock = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await tx.query(`select ${lock}(hashtextextended($1, 6))`, [tenantId]);
}

/** Machines that name one of these values, or mean one of these identities. */
export async function findReferrers(
  tx: Transaction,
  tenantId: string,
  values: readonly string[],
  identityIds: readonly string[],
): Promise<string[]> {
  if (values.length + identityIds.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `select record_id as id from machine_references where tenant_id = $1 and value = any($2)
     union select record_id from machine_references where tenant_id = $1 and identity_id = any($3)`,
    [tenantId, texts(values), uuids(identityIds)],
  );
  return rows.map(({ id }) => id);
}

export interface MachineNaming {
  recordId: string;
  role: MachineReference;
}

/** Machines that mean this identity, and in which role. */
export async function findMachinesNaming(
  tx: Transaction,
  tenantId: string,
  identityId: string,
): Promise<MachineNaming[]> {
  return tx.query(
    'select record_id as "recordId", role from machine_references where tenant_id = $1 and identity_id = $2 order by 1, 2',
    [tenantId, identityId],
  );
}

export async function findReferences(tx: Transaction, recordIds: readonly string[]): Promise<StoredReference[]> {
  if (recordIds.length === 0) return [];
  const rows = await tx.query<{ [Field in keyof StoredReference]-?: StoredReference[Field] | null }>(
    `select record_id as "recordId", role, value, identity_id as "identityId"
       from machine_references where record_id = any($1)`,
    [uuids(recordIds)],
  );
  return rows.map(({ recordId, role, value, identityId }) => ({
    recordId: recordId as string,
    role: role as MachineReference,
    ...(value !== null && { value }),
    ...(identityId !== null && { identityId }),
  }));
}

/** Writes what these records name from now on; a reference to nobody and nothing is removed. */
export async function saveReferences(
  tx: Transaction,
  tenantId: string,
  references: readonly StoredReference[],
): Promise<void> {
  if (references.length === 0) return;
  const columns = [
    uuids(references.map(({ recordId }) => recordId)),
    texts(references.map(({ role }) => role)),
    texts(references.map(({ value }) => value)),
    uuids(references.map(({ identityId }) => identityId)),
  ];
  await tx.query(
    `delete from machine_references r
      using unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) as n (record_id, role, value, identity_id)
      where r.record_id = n.record_id and r.role = n.role and n.value is null and n.identity_id is null`,
    columns,
  );
  await tx.query(
    `insert into machine_references (tenant_id, record_id, role, value, identity_id)
     select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as n (record_id, role, value, identity_id)
      where n.value is not null or n.identity_id is not null
     on conflict (record_id, role) do update set value = excluded.value, identity_id = excluded.identity_id`,
    [tenantId, ...columns],
  );
}

/** Who holds these values as certain keys; a value that several people have is nobody's. */
export async function findKeyHolders(
  tx: Transaction,
  tenantId: string,
  kinds: readonly MatchingKey[],
  values: readonly string[],
): Promise<{ kind: MatchingKey; value: string; identityId: string }[]> {
  if (values.length === 0) return [];
  return tx.query(
    `select kind, value, identity_id as "identityId" from correlation_keys
      where tenant_id = $1 and kind = any($2) and value = any($3) and identity_id is not null`,
    [tenantId, texts(kinds), texts(values)],
  );
}

/** Users whose own id in one of these sources is one of these. */
export async function findUsersByExternalId(
  tx: Transaction,
  connectorIds: readonly string[],
  externalIds: readonly string[],
): Promise<{ id: string; externalId: string; identityId: string | null }[]> {
  if (externalIds.length === 0) return [];
  return tx.query(
    `select id, external_id as "externalId", identity_id as "identityId" from source_records
      where connector_id = any($1) and external_id = any($2) and kind = 'user'`,
    [uuids(connectorIds), texts(externalIds)],
  );
}
