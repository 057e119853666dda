// SQL by hand: lateral joins over the ids of a result.
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** The values that name an identity or a record, at the time of the read. */
export interface Names {
  /** Display names by identity id. */
  identities: ReadonlyMap<string, string>;
  /** First values of the fields by record id. */
  records: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Reads the names of identities, of a merged one that of the survivor, and these fields of records. */
export async function findNames(
  tx: Transaction,
  tenantId: string,
  wanted: { identityIds: readonly string[]; recordIds: readonly string[]; fields: readonly string[] },
): Promise<Names> {
  const identities = await tx.query<{ id: string; name: string | null }>(
    `select n.id, i.name from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select display_name as name from identities
         where tenant_id = $1
           and id = (select coalesce((select into_id from identity_redirects where tenant_id = $1 and id = n.id), n.id))
         limit 1) i`,
    [tenantId, uuids([...new Set(wanted.identityIds)])],
  );
  const records = await tx.query<{ id: string; fields: Record<string, string> }>(
    `select r.id, (select coalesce(jsonb_object_agg(f.name, left(r.fields -> f.name ->> 0, 200)), '{}')
                     from unnest($3::text[]) as f (name) where r.fields -> f.name ->> 0 is not null) as fields
       from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, fields from source_records where tenant_id = $1 and id = n.id limit 1) r`,
    [tenantId, uuids([...new Set(wanted.recordIds)]), texts([...new Set(wanted.fields)])],
  );
  return {
    identities: new Map(identities.flatMap(({ id, name }) => (name === null ? [] : [[id, name]]))),
    records: new Map(records.map(({ id, fields }) => [id, fields])),
  };
}
