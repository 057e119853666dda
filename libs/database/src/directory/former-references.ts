// SQL by hand: writes in bulk, and lookups that remain index lookups in tables without statistics.
import { jsons, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** A person that a user or a machine no longer names, or names by another text. */
export interface FormerReference {
  recordId: string;
  identityId: string;
  /** As the source wrote it; absent if the reference was derived from a match key. */
  text?: string | undefined;
}

/** Stores ended references. They are kept as long as the record, because its history contains the texts. */
export async function saveFormerReferences(
  tx: Transaction,
  tenantId: string,
  references: readonly FormerReference[],
): Promise<void> {
  if (references.length === 0) return;
  await tx.query(
    `insert into former_references as f (tenant_id, identity_id, record_id, texts)
     select $1, identity_id, record_id, coalesce(array_agg(distinct text) filter (where text is not null), '{}')
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as n (identity_id, record_id, text)
      group by identity_id, record_id
     on conflict (identity_id, record_id) do update
        set texts = array(select unnest(f.texts) union select unnest(excluded.texts))
      where not f.texts @> excluded.texts`,
    [
      tenantId,
      uuids(references.map(({ identityId }) => identityId)),
      uuids(references.map(({ recordId }) => recordId)),
      texts(references.map(({ text }) => text)),
    ],
  );
}

/** The texts by which a record referred to a person earlier. */
export interface FormerNames {
  recordId: string;
  identityId: string;
  texts: string[];
}

/** Finds what referred earlier to one of these identities. */
export async function findFormerReferences(
  tx: Transaction,
  tenantId: string,
  identityIds: readonly string[],
): Promise<FormerNames[]> {
  return tx.query(
    `select f.record_id as "recordId", f.identity_id as "identityId", f.texts from unnest($2::uuid[]) as n (id)
      cross join lateral (select record_id, identity_id, texts from former_references
                           where tenant_id = $1 and identity_id = n.id offset 0) as f
      order by 1, 2`,
    [tenantId, uuids(identityIds)],
  );
}

/** Deletes the former references to these identities, and these texts of others. */
export async function eraseFormerReferences(
  tx: Transaction,
  tenantId: string,
  identityIds: readonly string[],
  names: readonly FormerNames[],
): Promise<void> {
  await tx.query('delete from former_references where tenant_id = $1 and identity_id = any($2)', [
    tenantId,
    uuids(identityIds),
  ]);
  const others = names.filter(({ identityId }) => !identityIds.includes(identityId));
  if (others.length === 0) return;
  await tx.query(
    `update former_references f set texts = array(select unnest(f.texts) except select jsonb_array_elements_text(n.texts))
       from unnest($2::uuid[], $3::uuid[], $4::jsonb[]) as n (identity_id, record_id, texts)
      where f.tenant_id = $1 and f.identity_id = n.identity_id and f.record_id = n.record_id`,
    [
      tenantId,
      uuids(others.map(({ identityId }) => identityId)),
      uuids(others.map(({ recordId }) => recordId)),
      jsons(others.map((each) => JSON.stringify(each.texts))),
    ],
  );
}
