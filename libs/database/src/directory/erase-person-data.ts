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
  /** Other identities that the person was part of. */
  earlierIds: readonly string[];
  recordIds: readonly string[];
  /** External ids of those records. */
  externalIds: readonly string[];
  /** Machine identities that referred to the person. */
  machineIds: readonly string[];
  /** Users whose manager the person was until now. */
  managedIds: readonly string[];
  /** Users and machines that referred to the person earlier. */
  formerIds: readonly string[];
  /** Public ids of their records, as documents contain them. */
  publicIds: readonly string[];
  /** All values that sources report for them, or have reported. */
  values: readonly string[];
  /** Those of the values that identify a person. */
  names: readonly string[];
  /** Those of the names by which no record refers to another person now. */
  plannedNames: readonly string[];
}

/**
 * Removes the data of a person: from the history of their identity, from events of their records before matching, from
 * every identity that these records belonged to, from payloads of webhooks, from plans of dry runs and from results of
 * operations.
 */
export async function erasePersonData(tx: Transaction, person: PersonTraces): Promise<void> {
  const { tenantId } = tx;
  const mentioningIds = [...person.managedIds, ...person.formerIds];
  await eraseIdentityHistory(tx, [person.identityId]);
  await deletePlannedReferences(tx, { ...person, names: person.plannedNames });
  await eraseOutcomes(tx, person.externalIds);
  await tx.query(
    `update events e set details = e.details - 'changes' from ${eventsAbout('subject_id', '$2::uuid[]')} as about
      where e.tenant_id = $1 and e.sequence = about.sequence and e.details ? 'changes'`,
    [tenantId, uuids(person.recordIds)],
  );
  const owned = [...person.recordIds, ...person.machineIds];
  const ownIds = new Set([...person.earlierIds, ...(await findOtherIdentities(tx, person, owned))]);
  const mentioning = await findOtherIdentities(tx, person, mentioningIds);
  const mentioningIdentities = mentioning.filter((id) => !ownIds.has(id));
  const otherIds = [...ownIds, ...mentioningIdentities];
  await erasePayloads(tx, {
    identityIds: [person.identityId, ...otherIds],
    recordIds: [...owned, ...mentioningIds],
  });
  const quoted = person.names.map((name) => JSON.stringify(name));
  await tx.query('delete from record_versions where tenant_id = $1 and record_id = any($2)', [tenantId, uuids(owned)]);
  const lineage = 'select $2 union select id from identity_redirects where tenant_id = $1 and into_id = $2';
  await tx.query(
    `delete from record_versions where tenant_id = $1 and record_id = any(array(
       select subject_id from ${eventsAbout('identity_id', `array(${lineage})`)} as about
       union select unnest($4::uuid[])))
        and exists (select from unnest($3::text[]) trace where position(trace in document) > 0)`,
    [tenantId, person.identityId, texts([...person.publicIds, ...quoted]), uuids(mentioningIds)],
  );
  await tx.query(
    `delete from identity_versions where tenant_id = $1 and identity_id = any($2)
        and exists (select from unnest($3::text[]) trace where position(trace in document) > 0)`,
    [tenantId, uuids(otherIds), texts([...person.publicIds, ...quoted])],
  );
  await eraseChanges(tx, { subjectIds: person.machineIds, identityIds: [...ownIds], values: person.values });
  // Users and machines that only named the person have values in common with them, such as a department.
  await eraseChanges(tx, {
    subjectIds: mentioningIds,
    identityIds: mentioningIdentities,
    values: person.names,
  });
}

/** Finds the other identities whose history contains events of these records, or that have them now. */
async function findOtherIdentities(
  tx: Transaction,
  { identityId }: PersonTraces,
  recordIds: readonly string[],
): Promise<string[]> {
  return tx.ids(
    `select identity_id as id from ${eventsAbout('subject_id', '$2::uuid[]')} as about where identity_id <> $3
     union select identity_id from source_records
            where tenant_id = $1 and id = any($2) and identity_id is not null and identity_id <> $3`,
    [tx.tenantId, uuids(recordIds), identityId],
  );
}

/** Removes the changes of events that contain one of these values. Events keep their type and time. */
async function eraseChanges(
  tx: Transaction,
  { subjectIds, identityIds, values }: Record<'subjectIds' | 'identityIds' | 'values', readonly string[]>,
): Promise<void> {
  await tx.query(
    `update events e set details = e.details - 'changes'
       from (select sequence from ${eventsAbout('subject_id', '$2::uuid[]')} as about
             union select sequence from ${eventsAbout('identity_id', '$3::uuid[]')} as about) as about
      where e.tenant_id = $1 and e.sequence = about.sequence and exists (
        select from jsonb_array_elements(e.details -> 'changes') change
         where change -> 'from' ?| $4::text[] or change -> 'to' ?| $4::text[])`,
    [tx.tenantId, uuids(subjectIds), uuids(identityIds), texts(values)],
  );
}

/**
 * Finds the other identities that these identities or records were part of. The event of a merge or a split is about
 * the identity that ended or began, and belongs to the other one; a record may have been merged in without an event.
 */
export async function findEarlierIdentities(
  tx: Transaction,
  identityIds: readonly string[],
  recordIds: readonly string[],
): Promise<string[]> {
  return tx.ids(
    `with direct as materialized (
       select distinct identity_id as id from ${eventsAbout('subject_id', '$2::uuid[]')} as about
        where identity_id is not null)
     select id from direct where id <> all($3)
     union select identity_id from ${eventsAbout('subject_id', 'array(select id from direct)')} as about
            where identity_id <> all($3)`,
    [tx.tenantId, uuids([...identityIds, ...recordIds]), uuids(identityIds)],
  );
}

/** Finds the values that the events of these records contain, by field. */
export async function findEarlierValues(
  tx: Transaction,
  recordIds: readonly string[],
): Promise<{ field: string; value: string }[]> {
  return tx.query<{ field: string; value: string }>(
    `select distinct change ->> 'field' as field,
            jsonb_array_elements_text(case jsonb_typeof(said) when 'array' then said else jsonb_build_array(said) end) as value
       from ${eventsAbout('subject_id', '$2::uuid[]')} as about cross join lateral jsonb_array_elements(details -> 'changes') change
      cross join lateral (values (change -> 'from'), (change -> 'to')) as each (said)
      where said is not null`,
    [tx.tenantId, uuids(recordIds)],
  );
}
