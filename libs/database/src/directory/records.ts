// SQL by hand: lookups and writes in bulk, benchmarked.
import { type RecordKind, recordWeight } from '@idsync/contracts';
import { arraysOf, byteas, type Encoders, encoders, integers, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SourceRecordEntity } from '../entities/directory.entities.js';
import { selectList, snakeCase } from '../naming-strategy.js';
import { lowestId, type WithoutNulls, withoutNulls } from '../rows.js';
import { deletePlannedRecords } from './delete-planned.js';
import { derivation } from './derivation.js';
import { insertGroups } from './groups.js';
import { remainingLoad, reserveLoad } from './load-limit.js';
import { deleteTerms, insertTermsOfInserted, joinedListTerms, joinedSearchTerms, updateTerms } from './save-terms.js';

export type { EarlierState, LinkEvidence, MachineState } from '../entities/directory.entities.js';

/** Columns that follow from the others. */
const derived = ['weight', 'searchTerms', 'listTerms'] as const;

/** A row of source_records. */
export type StoredRecord = WithoutNulls<Omit<SourceRecordEntity, 'tenantId' | 'derivedBy' | (typeof derived)[number]>>;

// Batches look up records by lateral joins with a limit or offset, so that they remain index lookups. A plain join or
// `= any (…)` scans a table that has not been analysed yet: at 30 000 records 24 ms a batch instead of 3, at a million
// 400.
const definitions = SourceRecordEntity.options.columns;
const typeOf = (name: keyof SourceRecordEntity) => definitions[name]?.type as keyof typeof encoders;
const notStored = new Set<string>(['tenantId', 'derivedBy', ...derived]);
const stored = (Object.keys(definitions) as (keyof StoredRecord)[]).filter((name) => !notStored.has(name));
const columns = selectList(stored);

interface WeighedId {
  id: string;
  weight: number;
}

/** Result of comparing source records with the stored ones. */
export interface ComparedAnchors {
  /** New or changed records by external id, and whether they are stored already. */
  changed: Map<string, { isKnown: boolean }>;
  /** Ids of all stored records as PostgreSQL array text, which is passed back unparsed. */
  knownIds: string;
}

export async function compareAnchors(
  tx: Transaction,
  connectorId: string,
  contents: readonly { externalId: string; hash: Buffer }[],
): Promise<ComparedAnchors> {
  // PostgreSQL compares the hashes, so that an unchanged record costs one index lookup and one array element.
  const rows = await tx.query<{ externalId: string | null; isKnown: boolean; knownIds: string | null }>(
    `with compared as materialized (
       select n.external_id, r.id, r.content_hash is distinct from n.content_hash as changed
         from unnest($3::text[], $4::bytea[]) as n (external_id, content_hash)
         left join lateral (
           select id, content_hash from source_records
            where tenant_id = $1 and connector_id = $2 and external_id = n.external_id limit 1) r on true)
     select external_id as "externalId", id is not null as "isKnown", null::text as "knownIds" from compared where changed
     union all
     select null, true, (array_agg(id) filter (where id is not null))::text from compared`,
    [
      tx.tenantId,
      connectorId,
      texts(contents.map(({ externalId }) => externalId)),
      byteas(contents.map(({ hash }) => hash)),
    ],
  );
  const compared: ComparedAnchors = { changed: new Map(), knownIds: '{}' };
  for (const { externalId, isKnown, knownIds } of rows) {
    if (externalId === null) compared.knownIds = knownIds ?? '{}';
    else compared.changed.set(externalId, { isKnown });
  }
  return compared;
}

export async function lockRecordsByAnchor(
  tx: Transaction,
  connectorId: string,
  externalIds: readonly string[],
): Promise<StoredRecord[]> {
  const rows = await tx.query<WeighedId>(
    `select r.id, r.weight from unnest($3::text[]) as n (external_id)
      cross join lateral (select id, weight from source_records
                           where tenant_id = $1 and connector_id = $2 and external_id = n.external_id limit 1) r`,
    [tx.tenantId, connectorId, texts(externalIds)],
  );
  return lockWeighed(tx, rows);
}

/** Locks in the order of ids to prevent deadlocks. */
export async function lockRecordsById(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  if (remainingLoad(tx) === undefined) return lockAndLoad(tx, ids);
  const rows = await tx.query<WeighedId>(
    `select r.* from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, weight from source_records where tenant_id = $1 and id = n.id limit 1) r`,
    [tx.tenantId, uuids([...new Set(ids)])],
  );
  return lockWeighed(tx, rows);
}

async function lockWeighed(tx: Transaction, rows: readonly WeighedId[]): Promise<StoredRecord[]> {
  if (rows.length === 0) return [];
  return lockAndLoad(tx, reserved(tx, rows));
}

async function lockAndLoad(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  const rows = await tx.query<SourceRecordEntity>(
    `select r.* from unnest($2::uuid[]) as n (id)
      cross join lateral (select ${columns} from source_records
                           where tenant_id = $1 and id = n.id limit 1 for update) r`,
    [tx.tenantId, uuids([...new Set(ids)].sort())],
  );
  return rows.map(withoutNulls);
}

/**
 * Reads the current state of these records and of all users of their identities. The kind is compared outside of the
 * look-up: on tables without statistics, PostgreSQL would choose an index of the users of the tenant.
 */
export async function findRecordsWithUsers(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<WeighedId>(
    `with named as materialized (
         select r.id, r.identity_id from unnest($2::uuid[]) as n (id)
          cross join lateral (select id, identity_id from source_records where tenant_id = $1 and id = n.id limit 1) r),
       wanted as (
         select id from named
         union select r.id from (select distinct identity_id from named where identity_id is not null) i
          cross join lateral (select id, kind from source_records
                               where tenant_id = $1 and identity_id = i.identity_id offset 0) r
          where r.kind = 'user')
       select r.* from wanted
        cross join lateral (select id, weight from source_records where tenant_id = $1 and id = wanted.id limit 1) r`,
    [tx.tenantId, uuids(ids)],
  );
  const records = await tx.query<SourceRecordEntity>(
    `select r.* from unnest($2::uuid[]) as n (id)
      cross join lateral (select ${columns} from source_records where tenant_id = $1 and id = n.id limit 1) r`,
    [tx.tenantId, uuids(reserved(tx, rows))],
  );
  return records.map(withoutNulls);
}

/** Subtracts records from what may still be loaded, and returns their ids. */
function reserved(tx: Transaction, rows: readonly WeighedId[]): string[] {
  const weight = rows.reduce((sum, row) => sum + row.weight, 0);
  reserveLoad(tx, weight);
  return rows.map(({ id }) => id);
}

/** Locks the records of these identities. `offset 0`, here and below, keeps it an index lookup for each identity. */
export async function lockRecordsOfIdentities(
  tx: Transaction,
  identityIds: readonly string[],
): Promise<StoredRecord[]> {
  if (identityIds.length === 0) return [];
  const rows = await tx.query<WeighedId>(
    `select r.id, r.weight from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, weight from source_records
                           where tenant_id = $1 and identity_id = n.id offset 0) r`,
    [tx.tenantId, uuids(identityIds)],
  );
  return lockWeighed(tx, rows);
}

/** A record that a job has moved to another identity. */
export interface MovedRecord {
  identityId: string;
  linkedBy: string | null;
}

/** Finds the records that a job has moved away from these identities, also if it has ended. */
export async function findMovedFrom(tx: Transaction, identityIds: readonly string[]): Promise<MovedRecord[]> {
  if (identityIds.length === 0) return [];
  return tx.query<MovedRecord>(
    `select distinct r.identity_id as "identityId", r.linked_by as "linkedBy" from unnest($2::uuid[]) as n (id)
      cross join lateral (select identity_id, linked_by from source_records
                           where tenant_id = $1 and kept_identity_id = n.id offset 0) r
      where r.identity_id is not null`,
    [tx.tenantId, uuids(identityIds)],
  );
}

/**
 * Inserts without ON CONFLICT: if two batches insert the same record concurrently, the second must fail, roll back and
 * run again on the first one's result, or it would create a second identity for the record. Arrays are unnested in the
 * select list, because in FROM each of them is stored before it is read: 90 of 600 ms for 20 000 records.
 */
export async function insertRecords(tx: Transaction, records: readonly StoredRecord[]): Promise<void> {
  if (records.length === 0) return;
  const names = [...stored, ...derived];
  const inserted = tx.query(
    `with inserted as (
     insert into source_records (tenant_id, derived_by, ${names.map(snakeCase)})
     select $1, ${derivation}, ${arrayParameters(names, 2).map((array) => `unnest(${array})`)}
     returning id, created_at, search_terms, list_terms),
     listed as (${insertTermsOfInserted('list_terms')}),
     searched as (${insertTermsOfInserted('search_terms')})
     select`,
    [tx.tenantId, ...valuesOf(records, stored, joinedSearchTerms(records), joinedListTerms(records))],
  );
  await Promise.all([inserted, insertGroups(tx, records)]);
}

const fixed = new Set<string>([
  'id',
  'kind',
  'connectorId',
  'externalId',
  'createdAt',
] satisfies (keyof StoredRecord)[]);
const changeable = stored.filter((name) => !fixed.has(name));

export async function updateRecords(tx: Transaction, records: readonly StoredRecord[]): Promise<void> {
  if (records.length === 0) return;
  const searchTerms = joinedSearchTerms(records);
  await updateTerms(tx, 'search_terms', records, searchTerms);
  const listTerms = joinedListTerms(records);
  await updateTerms(tx, 'list_terms', records, listTerms);
  const names = [...changeable, ...derived];
  const columns = names.map(snakeCase);
  await tx.query(
    `update source_records r set derived_by = ${derivation}, ${columns.map((column) => `${column} = n.${column}`)}
       from unnest(${arrayParameters(['id', ...names], 2)}) as n (id, ${columns})
      where r.tenant_id = $1 and r.id = n.id`,
    [tx.tenantId, ...valuesOf(records, ['id', ...changeable], searchTerms, listTerms)],
  );
}

/** Returns the parameters of arrays of these columns. */
function arrayParameters(names: readonly (keyof SourceRecordEntity)[], first: number): string[] {
  return names.map((name, nth) => `$${first + nth}::${typeOf(name)}[]`);
}

/** Encodes these columns of records, and the derived ones. */
function valuesOf(
  records: readonly StoredRecord[],
  names: readonly (keyof StoredRecord)[],
  searchTerms: readonly string[],
  listTerms: readonly (string | null)[],
): Buffer[] {
  const own = Object.fromEntries(names.map((name) => [name, encoders[typeOf(name)]])) as Encoders<StoredRecord>;
  const weights = integers(records.map(({ fields }) => recordWeight(fields)));
  return [...arraysOf(records, own), weights, texts(searchTerms), texts(listTerms)];
}

/**
 * Returns ids of a tenant's records of one kind after `after`, in the order of their ids. Accounts and machine
 * identities have a partial index for it: 5 ms for a thousand beside 400 000 of another tenant. The index must not
 * contain users: before the first ANALYZE, PostgreSQL used an index of tenant and kind to look up the users of an
 * identity (5 % changed: 6 500 records/s instead of 16 600).
 */
export async function findRecordIds(
  tx: Transaction,
  kind: RecordKind,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  return tx.ids(
    `select id from source_records
      where tenant_id = $1 and kind = $2 ${kind === 'user' ? '' : `and kind <> 'user'`} and id > $3
      order by id limit $4`,
    [tx.tenantId, kind, after ?? lowestId, limit],
  );
}

export async function countRecords(tx: Transaction): Promise<number> {
  return tx.count('select count(*)::int as count from source_records where tenant_id = $1', [tx.tenantId]);
}

/** Deletes records and every row that refers to them. */
export async function deleteRecords(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await deleteTerms(tx, 'search_terms', ids);
  await deleteTerms(tx, 'list_terms', ids);
  for (const table of [
    'waiting_records',
    'weak_keys',
    'match_queue',
    'review_cases',
    'contested_keys',
    'machine_references',
    'former_references',
    'record_versions',
  ]) {
    await tx.query(`delete from ${table} where tenant_id = $1 and record_id = any($2)`, [tx.tenantId, ids]);
  }
  await deletePlannedRecords(tx, ids);
  await tx.query('delete from source_records where tenant_id = $1 and id = any($2)', [tx.tenantId, ids]);
}

/** Returns ids of records that this job changed last after `after`, in the order of their ids. */
export function findRecordsLastChangedBy(
  tx: Transaction,
  jobId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  return tx.ids(
    'select id from source_records where tenant_id = $1 and last_job_id = $2 and id > $3 order by id limit $4',
    [tx.tenantId, jobId, after ?? lowestId, limit],
  );
}

export function countRecordsLastChangedBy(tx: Transaction, jobId: string): Promise<number> {
  return tx.count('select count(*)::int as count from source_records where tenant_id = $1 and last_job_id = $2', [
    tx.tenantId,
    jobId,
  ]);
}
