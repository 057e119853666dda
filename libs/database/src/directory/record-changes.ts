// SQL by hand: one range of the events, joined with what they changed.
import { eventTypes } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** Events that change no record: each run has some, and a pass writes some. */
export const otherEvents = eventTypes.filter((type) => /^(sync|finding|webhook|group)\./.test(type));

/** Returns the tenant's last event. */
export async function lastSequence(tx: Transaction): Promise<number> {
  const row = await tx.row<{ last: number }>('select last::float8 as last from event_sequences where tenant_id = $1', [
    tx.tenantId,
  ]);
  return row?.last ?? 0;
}

/** Counts up to `most` events since this one that change records. */
export function countChangesSince(tx: Transaction, sequence: number, most: number): Promise<number> {
  return tx.count(
    `select count(*)::int as count from (
       select from events where tenant_id = $1 and sequence > $2 and type <> all($3::text[]) order by sequence limit $4) as changes`,
    [tx.tenantId, sequence, otherEvents, most],
  );
}

export interface ChangedSubjects {
  /** The last event, and the number of events. */
  last: number | null;
  count: number;
  users: string[];
  /** Accounts and machine identities, also those that a changed person owns. */
  others: string[];
  identities: string[];
  /** Records of events that may no longer exist. */
  named: string[];
}

/** Returns the subjects of the next events that change records, with all records of their people. */
export async function findChangedSubjects(tx: Transaction, since: number, limit: number): Promise<ChangedSubjects> {
  const [found] = await tx.query<ChangedSubjects>(
    `with changed as materialized (
       select sequence, identity_id, subject_id from events
        where tenant_id = $1 and sequence > $2 and type <> all($4::text[]) order by sequence limit $3),
     named as materialized (select distinct subject_id as id from changed where subject_id is not null),
     people as materialized (select distinct identity_id as id from changed where identity_id is not null),
     records as materialized (
       select r.id, r.kind from named
        cross join lateral (select id, kind from source_records where tenant_id = $1 and id = named.id limit 1) r
       union
       select r.id, r.kind from people
        cross join lateral (select id, kind from source_records where tenant_id = $1 and identity_id = people.id offset 0) r
       union
       select m.record_id, 'machine_identity' from people
        cross join lateral (select record_id from machine_references
                             where tenant_id = $1 and identity_id = people.id and role = 'owned_by' offset 0) m)
     select (select max(sequence) from changed)::float8 as last, (select count(*) from changed)::int as count,
            array(select id from records where kind = 'user') as users,
            array(select id from records where kind <> 'user') as others,
            array(select id from people) as identities, array(select id from named) as named`,
    [tx.tenantId, since, limit, otherEvents],
  );
  return found ?? { last: null, count: 0, users: [], others: [], identities: [], named: [] };
}
