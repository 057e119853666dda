import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { forgetPayloads } from '../webhook-delivery/forget-payloads.js';
import { forgetOutcomes, forgetPlanned, forgetPlannedFor } from './forget-plans.js';
import { forgetIdentities } from './identities.js';

/** What is to be found of a person beyond the identity they were at last. */
export interface PersonTraces {
  identityId: string;
  recordIds: readonly string[];
  /** What their sources call those records. */
  externalIds: readonly string[];
  /** Machines that named them. */
  machineIds: readonly string[];
  /** Public ids of their records, as they stand in documents. */
  publicIds: readonly string[];
  /** Whatever sources say of them now. */
  values: readonly string[];
  /** Those of the values that tell one person from another. */
  names: readonly string[];
}

/**
 * Removes what the directory was told of a person, wherever it stood: in the history of their identity, of their records
 * before they were matched, of every identity those records have ever belonged to, in what webhooks were sent of these, in plans
 * of dry runs and in what came of operations.
 */
export async function forgetPerson(tx: Transaction, tenantId: string, person: PersonTraces): Promise<void> {
  const earlier = await findEarlierValues(tx, tenantId, person.recordIds);
  await forgetIdentities(tx, [person.identityId]);
  await forgetPlanned(tx, person.machineIds);
  await forgetPlannedFor(tx, tenantId, person.identityId);
  await forgetOutcomes(tx, tenantId, person.externalIds);
  await tx.query(
    `update events set details = details - 'changes' where tenant_id = $1 and subject_id = any($2) and details ? 'changes'`,
    [tenantId, uuids(person.recordIds)],
  );
  const involved = [...person.recordIds, ...person.machineIds];
  const others = await tx.query<{ id: string }>(
    `select identity_id as id from events where tenant_id = $1 and subject_id = any($2) and identity_id <> $3
     union select identity_id from source_records where id = any($2) and identity_id is not null`,
    [tenantId, uuids(involved), person.identityId],
  );
  const elsewhere = uuids(others.map(({ id }) => id));
  await forgetPayloads(tx, tenantId, {
    identityIds: [person.identityId, ...others.map(({ id }) => id)],
    recordIds: involved,
  });
  const quoted = person.names.map((name) => JSON.stringify(name));
  await tx.query(
    `delete from identity_versions where identity_id = any($1)
        and exists (select from unnest($2::text[]) trace where position(trace in document) > 0)`,
    [elsewhere, texts([...person.publicIds, ...quoted])],
  );
  await tx.query(
    `update events set details = details - 'changes'
      where tenant_id = $1 and (subject_id = any($2) or identity_id = any($3)) and exists (
        select from jsonb_array_elements(details -> 'changes') change
         where change -> 'from' ?| $4::text[] or change -> 'to' ?| $4::text[])`,
    [tenantId, uuids(person.machineIds), elsewhere, texts([...person.values, ...earlier])],
  );
}

/** What events say that these records once had. */
async function findEarlierValues(tx: Transaction, tenantId: string, recordIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ value: string }>(
    `select distinct jsonb_array_elements_text(case jsonb_typeof(said) when 'array' then said else jsonb_build_array(said) end) as value
       from events cross join lateral jsonb_array_elements(details -> 'changes') change
      cross join lateral (values (change -> 'from'), (change -> 'to')) as each (said)
      where tenant_id = $1 and subject_id = any($2) and said is not null`,
    [tenantId, uuids(recordIds)],
  );
  return rows.map(({ value }) => value);
}
