// SQL by hand: deletions by joins.
import { machineReferences } from '@idsync/contracts';
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SyncPlanEntryEntity } from '../entities/sweep.entities.js';

/**
 * Deletes these records from every plan. Matches by connector and external id, because a record that a plan was to
 * create got another id when it was created.
 */
export async function deletePlannedRecords(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    `delete from sync_plan_entries e using sync_plans p, source_records r
      where r.tenant_id = $1 and r.id = any($2) and p.tenant_id = $1 and p.connector_id = r.connector_id
        and e.tenant_id = $1 and e.job_id = p.job_id and e.external_id = r.external_id`,
    [tx.tenantId, uuids(recordIds)],
  );
}

/**
 * Selects the entries about the records in `$2`: those with the same external id by an index, and those with another one in
 * a single pass over the plans of the tenant `$1`, whatever the number of records is. A record may have got another id since.
 * `offset 0` keeps the other conditions out of both lookups, also in a table without statistics.
 */
const plannedOfRecords = `
  select r.id, e.job_id, e.id as entry_id from unnest($2::uuid[]) as named (id)
    cross join lateral (select id, connector_id, external_id from source_records
                         where tenant_id = $1 and id = named.id limit 1) as r
    join sync_plans p on p.tenant_id = $1 and p.connector_id = r.connector_id
    cross join lateral (select job_id, id from sync_plan_entries
                         where tenant_id = $1 and job_id = p.job_id and external_id = r.external_id offset 0) as e
  union
  select e.record_id, e.job_id, e.id from sync_plans p
    cross join lateral (select record_id, job_id, id from sync_plan_entries
                         where tenant_id = $1 and job_id = p.job_id offset 0) as e
   where p.tenant_id = $1 and e.record_id = any($2)`;

/**
 * Removes a person from the plans of the records that refer to the person, or did so earlier. Planned deletions stay, because
 * they contain no values. Of users and former references, the other changes stay as well, without references by one of
 * these names.
 */
export async function deletePlannedReferences(
  tx: Transaction,
  {
    machineIds,
    managedIds,
    formerIds,
    names,
  }: Record<'machineIds' | 'managedIds' | 'formerIds' | 'names', readonly string[]>,
): Promise<void> {
  if (machineIds.length > 0) {
    await tx.query(
      `delete from sync_plan_entries e using (${plannedOfRecords}) as r
        where e.tenant_id = $1 and e.job_id = r.job_id and e.id = r.entry_id
          and not (e.action = 'delete' and e.incoming is null)`,
      [tx.tenantId, uuids(machineIds)],
    );
  }
  if (managedIds.length + formerIds.length === 0) return;
  await tx.query(
    `update sync_plan_entries e
        set changes = (select coalesce(jsonb_agg(c.change order by c.place), '[]')
                         from jsonb_array_elements(e.changes) with ordinality as c (change, place)
                        where c.change ->> 'field' <> all($4)
                           or not (c.change ->> 'field' = 'manager_id' and r.id = any($5))
                              and (c.change -> 'from' ?| $3 or c.change -> 'to' ?| $3) is not true),
            incoming = case when exists (select from jsonb_each(e.incoming::jsonb -> 'fields') f
                                          where f.key = any($4) and f.value ?| $3)
                            then jsonb_set(e.incoming::jsonb, '{fields}', (
                                   select coalesce(jsonb_object_agg(f.key, f.value), '{}')
                                     from jsonb_each(e.incoming::jsonb -> 'fields') f
                                    where not (f.key = any($4) and f.value ?| $3)))::text
                            else e.incoming end
       from (${plannedOfRecords}) as r
      where e.tenant_id = $1 and e.job_id = r.job_id and e.id = r.entry_id`,
    [tx.tenantId, uuids([...managedIds, ...formerIds]), texts(names), texts(machineReferences), uuids(managedIds)],
  );
}

/** Deletes the planned changes of an identity. */
export async function deletePlannedOfIdentity(tx: Transaction, identityId: string): Promise<void> {
  await tx.manager.delete(SyncPlanEntryEntity, { tenantId: tx.tenantId, identityId });
}

/** Removes records from the results of undone jobs and refused plans; their number stays. */
export async function eraseOutcomes(tx: Transaction, externalIds: readonly string[]): Promise<void> {
  if (externalIds.length === 0) return;
  await tx.query(
    `update operations set result = jsonb_set(jsonb_set(result,
        '{restored}', coalesce((result -> 'restored') - $2::text[], '[]')),
        '{removed}', coalesce((result -> 'removed') - $2::text[], '[]'))
      where tenant_id = $1 and type = 'job.undo' and (result -> 'restored' ?| $2 or result -> 'removed' ?| $2)`,
    [tx.tenantId, texts(externalIds)],
  );
  await tx.query(
    `update operations set result = '{"error": "the plan was refused"}'
      where tenant_id = $1 and type = 'plan.apply' and status = 'refused'
        and exists (select from unnest($2::text[]) as named (id) where position(id in result ->> 'error') > 0)`,
    [tx.tenantId, texts(externalIds)],
  );
}
