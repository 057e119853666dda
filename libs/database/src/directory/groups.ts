// SQL by hand: lookups and writes in bulk.
import { arraysOf, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { groupIdOf } from './group-id.js';
import { groupsOf, groupTerm, type ListedRecord } from './list-terms.js';

export interface GroupState {
  id: string;
  connectorId: string;
  name: string;
  /** The key in the source; null if the name is the key. */
  externalId: string | null;
}

/** A group that a source lists by its key, and what of it is not stored yet. */
export interface KeyedGroup {
  id: string;
  externalId: string;
  name: string;
  isNew: boolean;
  /** The stored name, if the source gives the group another one. */
  formerName?: string;
}

/** The job that reads the groups of a source. */
interface Reading {
  jobId: string;
  connectorId: string;
}

/**
 * Finds the groups of these keys, each with the names that it is listed with. A new key gets the id that its name gives,
 * unless another key has it: a group that was known by its name alone keeps its id. A job gives a group one name only, so
 * one that is read before and after a rename is renamed once.
 */
export async function resolveGroups(
  tx: Transaction,
  { jobId, connectorId }: Reading,
  listed: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Map<string, KeyedGroup>> {
  if (listed.size === 0) return new Map();
  const keys = [...listed.keys()].sort();
  const known = await tx.query<{ id: string; externalId: string; name: string; renamedBy: string | null }>(
    `select g.* from unnest($3::text[]) as n (external_id)
      cross join lateral (select id, external_id as "externalId", name, renamed_by as "renamedBy" from groups
                           where tenant_id = $1 and connector_id = $2 and external_id = n.external_id limit 1) g`,
    [tx.tenantId, connectorId, texts(keys)],
  );
  const found = new Map<string, KeyedGroup>();
  for (const { id, externalId, name, renamedBy } of known) {
    const other = [...(listed.get(externalId) ?? [])].find((each) => each !== name);
    const renamed = other !== undefined && renamedBy !== jobId && { name: other, formerName: name };
    found.set(externalId, { id, externalId, name, isNew: false, ...renamed });
  }
  const added = keys.flatMap((externalId) => {
    const name = [...(listed.get(externalId) ?? [])].at(-1);
    return found.has(externalId) || name === undefined
      ? []
      : { externalId, name, byName: groupIdOf(connectorId, name) };
  });
  const taken = await findKeyed(
    tx,
    added.map(({ byName }) => byName),
  );
  for (const { externalId, name, byName } of added) {
    // Names contain no NUL.
    const id = taken.has(byName) ? groupIdOf(connectorId, `\0${externalId}`) : byName;
    taken.add(byName);
    found.set(externalId, { id, externalId, name, isNew: true });
  }
  return found;
}

/** Returns which of these groups have a key. */
async function findKeyed(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const keyed = await tx.ids(
    `select g.id from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, external_id from groups where tenant_id = $1 and id = n.id limit 1) g
      where g.external_id is not null`,
    [tx.tenantId, uuids(ids)],
  );
  return new Set(keyed);
}

/**
 * Stores new groups and new names, under the lock of the tenant's sequence. Returns the former names of renamed groups by
 * id, or undefined if another transaction has decided otherwise about the id of a group since it was resolved.
 */
export async function saveGroups(
  tx: Transaction,
  reading: Reading,
  groups: Iterable<KeyedGroup>,
  at: Date,
): Promise<Map<string, string> | undefined> {
  const pending = [...groups].filter(({ isNew, formerName }) => isNew || formerName !== undefined);
  if (pending.length === 0) return new Map();
  const listed = new Map(pending.map(({ externalId, name }) => [externalId, new Set([name])]));
  const now = [...(await resolveGroups(tx, reading, listed)).values()];
  const ids = new Map(pending.map(({ externalId, id }) => [externalId, id]));
  if (now.some(({ externalId, id }) => ids.get(externalId) !== id)) return undefined;
  const { connectorId, jobId } = reading;
  const added = now.filter(({ isNew }) => isNew);
  if (added.length > 0) {
    await tx.query(
      `insert into groups as g (id, tenant_id, connector_id, external_id, name, name_id, term, created_at)
       select n.id, $1, $2, n.external_id, n.name, n.name_id, n.term, $3
         from unnest($4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::text[]) as n (id, name, name_id, external_id, term)
       on conflict (tenant_id, id) do update set external_id = excluded.external_id returning g.id`,
      [tx.tenantId, connectorId, at, ...arraysOf(rowsOf(connectorId, added), keyed)],
    );
  }
  const renamed = now.filter(({ formerName }) => formerName !== undefined);
  if (renamed.length > 0) {
    await tx.query(
      `update groups g set name = n.name, name_id = n.name_id, updated_at = $4, renamed_by = $3
         from unnest($5::uuid[], $6::text[], $7::uuid[]) as n (id, name, name_id)
        where g.tenant_id = $1 and g.connector_id = $2 and g.id = n.id`,
      [tx.tenantId, connectorId, jobId, at, ...arraysOf(rowsOf(connectorId, renamed), named)],
    );
  }
  return new Map(renamed.map(({ id, formerName = '' }) => [id, formerName]));
}

const named = { id: uuids, name: texts, nameId: uuids };
const keyed = { ...named, externalId: texts, term: texts };

function rowsOf(connectorId: string, groups: readonly KeyedGroup[]) {
  return groups.map(({ id, externalId, name }) => {
    const byName = groupIdOf(connectorId, name);
    return { id, externalId, name, nameId: byName === id ? null : byName, term: groupTerm(id) };
  });
}

/** Adds the groups that records name and that are not stored. Groups are never deleted; those without members are hidden. */
export async function insertGroups(
  tx: Transaction,
  records: readonly (ListedRecord & { updatedAt: Date })[],
): Promise<void> {
  const found = new Map<string, { id: string; connectorId: string; name: string; at: Date }>();
  for (const record of records) {
    for (const { id, connectorId, name } of groupsOf(record)) {
      if (name !== undefined && !found.has(id)) found.set(id, { id, connectorId, name, at: record.updatedAt });
    }
  }
  if (found.size === 0) return;
  // Concurrent transactions insert in the same order, so they do not deadlock.
  const groups = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  await tx.query(
    `insert into groups (id, tenant_id, connector_id, name, term, created_at)
     select n.id, $1, n.connector_id, n.name, n.term, n.at
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[]) as n (id, connector_id, name, term, at)
       left join lateral (select true as is_known from groups where tenant_id = $1 and id = n.id limit 1) k on true
      where is_known is null on conflict do nothing`,
    [
      tx.tenantId,
      ...arraysOf(groups, { id: uuids, connectorId: uuids, name: texts }),
      texts(groups.map(({ id }) => groupTerm(id))),
      times(groups.map(({ at }) => at)),
    ],
  );
}

/** Returns the groups of these ids. */
export async function findGroupStates(tx: Transaction, ids: readonly string[]): Promise<GroupState[]> {
  if (ids.length === 0) return [];
  return tx.query<GroupState>(
    `select g.* from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, connector_id as "connectorId", name, external_id as "externalId" from groups
                           where tenant_id = $1 and id = n.id limit 1) g`,
    [tx.tenantId, uuids(ids)],
  );
}

/**
 * Returns which of these groups have members. Under the lock of the tenant's sequence the answer holds until the
 * transaction changes members.
 */
export async function findGroupsWithMembers(tx: Transaction, groupIds: readonly string[]): Promise<Set<string>> {
  if (groupIds.length === 0) return new Set();
  const terms = groupIds.map(groupTerm);
  const rows = await tx.query<{ nth: number }>(
    `select nth::integer from unnest($2::text[]) with ordinality as n (term, nth)
      cross join lateral (select from list_terms where tenant_id = $1 and term = n.term limit 1) as member`,
    [tx.tenantId, texts(terms)],
  );
  return new Set(rows.flatMap(({ nth }) => groupIds[nth - 1] ?? []));
}
