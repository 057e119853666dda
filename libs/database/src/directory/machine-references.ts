// SQL by hand: reads and writes in bulk, by lateral joins that remain index lookups in tables without statistics.
import type { KeyKind, MachineReference } from '@idsync/contracts';
import { arraysOf, jsons, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { eventsAbout } from '../events-about.js';
import { withoutNulls } from '../rows.js';

/** The person that a machine identity refers to in one role. */
export interface StoredReference {
  recordId: string;
  role: MachineReference;
  /** Normalised value from the source; absent if the identity is derived from something else. */
  value?: string;
  /**
   * The identity found for the value. It is kept when that identity is gone, until the source reports another value.
   */
  identityId?: string;
}

/**
 * Locks a tenant's references until the commit: `alone` for transactions that add references, `shared` for those that
 * add people. A person and a reference to them that arrive concurrently therefore find each other, and transactions
 * that add people do not wait for each other.
 */
export async function lockReferences(tx: Transaction, how: 'alone' | 'shared'): Promise<void> {
  const lock = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await tx.query(`select ${lock}(hashtextextended($1, 6))`, [tx.tenantId]);
}

/** Finds machine identities that refer to one of these values or identities. */
export async function findReferrers(
  tx: Transaction,
  values: readonly string[],
  identityIds: readonly string[],
): Promise<string[]> {
  if (values.length + identityIds.length === 0) return [];
  return tx.ids(
    `select record_id as id from machine_references where tenant_id = $1 and value = any($2)
     union select record_id from machine_references where tenant_id = $1 and identity_id = any($3)`,
    [tx.tenantId, texts(values), uuids(identityIds)],
  );
}

export interface ReferencingMachine {
  recordId: string;
  role: MachineReference;
}

/**
 * Finds machine identities that refer to one of these identities, with the role. `offset 0`, here and below, keeps it
 * an index lookup for each identity or key, also in a table without statistics.
 */
export async function findReferencingMachines(
  tx: Transaction,
  identityIds: readonly string[],
): Promise<ReferencingMachine[]> {
  return tx.query(
    `select m.record_id as "recordId", m.role from unnest($2::uuid[]) as n (id)
      cross join lateral (select record_id, role from machine_references
                           where tenant_id = $1 and identity_id = n.id offset 0) m
      order by 1, 2`,
    [tx.tenantId, uuids(identityIds)],
  );
}

/** Finds the machines with events in the history of these identities, such as those that they once owned. */
export async function findFormerMachines(tx: Transaction, identityIds: readonly string[]): Promise<string[]> {
  return tx.ids(
    `select r.id from (select distinct subject_id from ${eventsAbout('identity_id', '$2::uuid[]')} as about
                        where tenant_id = $1 and type like 'machine\\_identity.%') as about
      cross join lateral (select id, kind from source_records
                           where tenant_id = $1 and id = about.subject_id limit 1) as r
      where r.kind = 'machine_identity' order by r.id`,
    [tx.tenantId, uuids(identityIds)],
  );
}

export async function findReferences(tx: Transaction, recordIds: readonly string[]): Promise<StoredReference[]> {
  if (recordIds.length === 0) return [];
  const rows = await tx.query<StoredReference>(
    `select record_id as "recordId", role, value, identity_id as "identityId"
       from unnest($2::uuid[]) as n (id)
      cross join lateral (select * from machine_references where tenant_id = $1 and record_id = n.id offset 0) as r`,
    [tx.tenantId, uuids(recordIds)],
  );
  return rows.map(withoutNulls);
}

/** Saves the references of these records; a reference without value and identity is deleted. */
export async function saveReferences(tx: Transaction, references: readonly StoredReference[]): Promise<void> {
  if (references.length === 0) return;
  const columns = arraysOf(references, { recordId: uuids, role: texts, value: texts, identityId: uuids });
  await tx.query(
    `delete from machine_references r
      using unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as n (record_id, role, value, identity_id)
      where r.tenant_id = $1 and r.record_id = n.record_id and r.role = n.role
        and n.value is null and n.identity_id is null`,
    [tx.tenantId, ...columns],
  );
  await tx.query(
    `insert into machine_references (tenant_id, record_id, role, value, identity_id)
     select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as n (record_id, role, value, identity_id)
      where n.value is not null or n.identity_id is not null
     on conflict (tenant_id, record_id, role) do update set value = excluded.value, identity_id = excluded.identity_id`,
    [tx.tenantId, ...columns],
  );
}

/** Finds the identities that own these values as deterministic match keys; excludes values with several owners. */
export async function findKeyHolders(
  tx: Transaction,
  kinds: readonly KeyKind[],
  values: readonly string[],
): Promise<{ kind: KeyKind; value: string; identityId: string }[]> {
  if (values.length === 0) return [];
  return tx.query(
    `select k.kind, v.value, c.identity_id as "identityId"
       from unnest($2::text[]) as k (kind) cross join unnest($3::text[]) as v (value)
      cross join lateral (select identity_id from correlation_keys
                           where tenant_id = $1 and kind = k.kind and value = v.value offset 0) c
      where c.identity_id is not null`,
    [tx.tenantId, texts([...new Set(kinds)]), texts([...new Set(values)])],
  );
}

/** Finds users by their external id in these sources. */
export async function findUsersByExternalId(
  tx: Transaction,
  connectorIds: readonly string[],
  externalIds: readonly string[],
): Promise<{ id: string; externalId: string; identityId: string | null }[]> {
  if (externalIds.length === 0) return [];
  return tx.query(
    `select r.id, e.external_id as "externalId", r.identity_id as "identityId"
       from unnest($2::uuid[]) as c (connector_id) cross join unnest($3::text[]) as e (external_id)
      cross join lateral (select id, identity_id, kind from source_records
                           where tenant_id = $1 and connector_id = c.connector_id and external_id = e.external_id offset 0) r
      where r.kind = 'user'`,
    [tx.tenantId, uuids([...new Set(connectorIds)]), texts([...new Set(externalIds)])],
  );
}

/** A person that a user or a machine no longer names, or names by another text. */
export interface FormerReference {
  recordId: string;
  identityId: string;
  /** As the source wrote it; absent if the reference was derived from a match key. */
  text?: string | undefined;
}

/** Stores ended references. They are kept as long as the record, because its history contains the texts. */
export async function saveFormerReferences(tx: Transaction, references: readonly FormerReference[]): Promise<void> {
  if (references.length === 0) return;
  await tx.query(
    `insert into former_references as f (tenant_id, identity_id, record_id, texts)
     select $1, identity_id, record_id, coalesce(array_agg(distinct text) filter (where text is not null), '{}')
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as n (identity_id, record_id, text)
      group by identity_id, record_id
     on conflict (tenant_id, identity_id, record_id) do update
        set texts = array(select unnest(f.texts) union select unnest(excluded.texts))
      where not f.texts @> excluded.texts`,
    [tx.tenantId, ...arraysOf(references, { identityId: uuids, recordId: uuids, text: texts })],
  );
}

/** The texts by which a record referred to a person earlier. */
export interface FormerNames {
  recordId: string;
  identityId: string;
  texts: string[];
}

/** Finds what referred earlier to one of these identities. */
export async function findFormerReferences(tx: Transaction, identityIds: readonly string[]): Promise<FormerNames[]> {
  return tx.query(
    `select f.record_id as "recordId", f.identity_id as "identityId", f.texts from unnest($2::uuid[]) as n (id)
      cross join lateral (select record_id, identity_id, texts from former_references
                           where tenant_id = $1 and identity_id = n.id offset 0) as f
      order by 1, 2`,
    [tx.tenantId, uuids(identityIds)],
  );
}

/** Deletes the former references to these identities, and these texts of others. */
export async function eraseFormerReferences(
  tx: Transaction,
  identityIds: readonly string[],
  names: readonly FormerNames[],
): Promise<void> {
  await tx.query('delete from former_references where tenant_id = $1 and identity_id = any($2)', [
    tx.tenantId,
    uuids(identityIds),
  ]);
  const others = names.filter(({ identityId }) => !identityIds.includes(identityId));
  if (others.length === 0) return;
  await tx.query(
    `update former_references f set texts = array(select unnest(f.texts) except select jsonb_array_elements_text(n.texts))
       from unnest($2::uuid[], $3::uuid[], $4::jsonb[]) as n (identity_id, record_id, texts)
      where f.tenant_id = $1 and f.identity_id = n.identity_id and f.record_id = n.record_id`,
    [tx.tenantId, ...arraysOf(others, { identityId: uuids, recordId: uuids, texts: jsons })],
  );
}
