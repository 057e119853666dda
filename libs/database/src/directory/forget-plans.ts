import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/**
 * Takes these records out of every plan, by their anchors: a record that a plan was to make has another id since it was made.
 */
export async function forgetPlanned(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    `delete from sync_plan_entries e using sync_plans p, source_records r
      where r.id = any($1) and p.connector_id = r.connector_id and e.job_id = p.job_id and e.external_id = r.external_id`,
    [uuids(recordIds)],
  );
}

/** Takes what was to be of an identity out of every plan, records that are not there included. */
export async function forgetPlannedFor(tx: Transaction, tenantId: string, identityId: string): Promise<void> {
  await tx.query('delete from sync_plan_entries where tenant_id = $1 and identity_id = $2', [tenantId, identityId]);
}

/** Takes records out of what came of undoing jobs, and of plans that were refused; how many they were stays. */
export async function forgetOutcomes(tx: Transaction, tenantId: string, externalIds: readonly string[]): Promise<void> {
  if (externalIds.length === 0) return;
  await tx.query(
    `update operations set result = result || jsonb_build_object(
        'restored', (result -> 'restored') - $2::text[], 'removed', (result -> 'removed') - $2::text[])
      where tenant_id = $1 and type = 'job.undo' and (result -> 'restored' ?| $2 or result -> 'removed' ?| $2)`,
    [tenantId, texts(externalIds)],
  );
  await tx.query(
    `update operations set result = '{"error": "the plan was refused"}'
      where tenant_id = $1 and type = 'plan.apply' and status = 'refused'
        and exists (select from unnest($2::text[]) as named (id) where position(id in result ->> 'error') > 0)`,
    [tenantId, texts(externalIds)],
  );
}
