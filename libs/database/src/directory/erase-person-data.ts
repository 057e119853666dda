// SQL by hand: searches of documents, and deletions for a set of records.
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { erasePayloads } from '../delivery/erase-payloads.js';
import { eventsAbout } from '../events-about.js';
import { deletePlannedReferences, eraseOutcomes } from './delete-planned.js';
import { eraseIdentityHistory } from './identities.js';

/** Traces of a person that are not found by their current identity alone. */
export interface PersonTraces {
  identityId: string;
  recordIds: readonly string[];
  /** External ids of those records. */
  externalIds: readonly string[];
  /** Machine identities that referred to the person. */
  machineIds: readonly string[];
  /** Users whose manager the person was, and machines that referred to the person earlier. */
  mentioningIds: readonly string[];
  /** Public ids of their records, as documents contain them. */
  publicIds: readonly string[];
  /** All values that sources currently report for them. */
  values: readonly string[];
  /** Those of the values that identify a person. */
  names: readonly string[];
}

/**
 * Removes the data of a person: from the history of their identity, from events of their records before matching, from
 * every identity that these records belonged to, from payloads of webhooks, from plans of dry runs and from results of
 * operations.
 */
export async function erasePersonData(tx: Transaction, tenantId: string, person: PersonTraces): Promise<void> {
  const earlier = await findEarlierValues(tx, tenantId, person.recordIds);
  await eraseIdentityHistory(tx, [person.identityId]);
  await deletePlannedReferences(tx, person);
  await eraseOutcomes(tx, tenantId, person.externalIds);
  await tx.query(
    `update events e set details = e.details - 'changes' from ${eventsAbout('subject_id', '$2::uuid[]')} as about
      where e.tenant_id = $1 and e.sequence = about.sequence and e.details ? 'changes'`,
    [tenantId, uuids(person.recordIds)],
  );
  const owned = [...person.recordIds, ...person.machineIds];
  const involved = [...owned, ...person.mentioningIds];
  const others = await tx.query<{ id: string }>(
    `select identity_id as id from ${eventsAbout('subject_id', '$2::uuid[]')} as about where tenant_id = $1 and identity_id <> $3
     union select identity_id from source_records where id = any($2) and identity_id is not null`,
    [tenantId, uuids(involved), person.identityId],
  );
  const elsewhere = uuids(others.map(({ id }) => id));
  await erasePayloads(tx, tenantId, {
    identityIds: [person.identityId, ...others.map(({ id }) => id)],
    recordIds: involved,
  });
  const quoted = person.names.map((name) => JSON.stringify(name));
  await tx.query('delete from record_versions where record_id = any($1)', [uuids(owned)]);
  await tx.query(
    `delete from record_versions where record_id = any(array(
       select subject_id from ${eventsAbout('identity_id', 'array(select $2 union select id from identity_redirects where into_id = $2)')} as about
        where tenant_id = $1
       union select unnest($4::uuid[])))
        and exists (select from unnest($3::text[]) trace where position(trace in document) > 0)`,
    [tenantId, person.identityId, texts([...person.publicIds, ...quoted]), uuids(person.mentioningIds)],
  );
  await tx.query(
    `delete from identity_versions where identity_id = any($1)
        and exists (select from unnest($2::text[]) trace where position(trace in document) > 0)`,
    [elsewhere, texts([...person.publicIds, ...quoted])],
  );
  await tx.query(
    `update events e set details = e.details - 'changes'
       from (select sequence from ${eventsAbout('subject_id', '$2::uuid[]')} as about
             union select sequence from ${eventsAbout('identity_id', '$3::uuid[]')} as about) as about
      where e.tenant_id = $1 and e.sequence = about.sequence and exists (
        select from jsonb_array_elements(e.details -> 'changes') change
         where change -> 'from' ?| $4::text[] or change -> 'to' ?| $4::text[])`,
    [
      tenantId,
      uuids([...person.machineIds, ...person.mentioningIds]),
      elsewhere,
      texts([...person.values, ...earlier]),
    ],
  );
}

/** Finds values that the events of these records contain. */
async function findEarlierValues(tx: Transaction, tenantId: string, recordIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ value: string }>(
    `select distinct jsonb_array_elements_text(case jsonb_typeof(said) when 'array' then said else jsonb_build_array(said) end) as value
       from ${eventsAbout('subject_id', '$2::uuid[]')} as about cross join lateral jsonb_array_elements(details -> 'changes') change
      cross join lateral (values (change -> 'from'), (change -> 'to')) as each (said)
      where tenant_id = $1 and said is not null`,
    [tenantId, uuids(recordIds)],
  );
  return rows.map(({ value }) => value);
}
