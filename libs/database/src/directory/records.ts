// SQL by hand: lookups and writes in bulk, benchmarked.
import { type RecordKind, recordWeight } from '@idsync/contracts';
import { byteas, integers, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import type { LinkEvidence, MachineState } from '../entities/directory.entities.js';
import { deletePlannedRecords } from './delete-planned.js';
import { remainingLoad, reserveLoad } from './load-limit.js';
import {
  deleteListTerms,
  insertGroups,
  insertListTermsOfInserted,
  joinedListTerms,
  updateListTerms,
} from './save-list-terms.js';
import { deleteSearchTerms, insertTermsOfInserted, joinedTerms, updateSearchTerms } from './save-search-terms.js';

export type { LinkEvidence, MachineState } from '../entities/directory.entities.js';

/** State of a record before a job changed it. */
export interface EarlierState extends Pick<StoredRecord, 'fields' | 'status' | 'changedAt'> {
  contentHash: string;
  /** Only if the job gave the record another external id. */
  externalId?: string;
  /** The job that had made this state, and its batch. */
  lastJobId: string;
  lastSeq: number;
}

/** A row of source_records: the data of one source about a person, account or machine identity. */
export interface StoredRecord {
  id: string;
  kind: RecordKind;
  connectorId: string;
  externalId: string;
  /** Absent if not matched to an identity yet. */
  identityId?: string;
  status: string;
  contentHash: Buffer;
  /** Values by field; fields that the source left empty are absent. */
  fields: Record<string, string[]>;
  /** When a field last changed, ISO 8601; a field that is absent here is unchanged since the record was created. */
  changedAt: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
  /** The public document as JSON text. */
  document: string;
  lastJobId: string;
  lastSeq: number;
  /** The job or operation that linked it to its identity. */
  linkedBy?: string;
  /** Its identity before the job `linkedBy` moved it; counts until that job ends. */
  keptIdentityId?: string;
  /** True if manually linked. */
  decided: boolean;
  statusSince: Date;
  /** When the status changes without a new source value. */
  dueAt?: Date;
  /** State before the job that changed it last; absent if that job created it. */
  previous?: EarlierState & {
    /** The state before that, for a run that takes its change back. */
    previous?: EarlierState;
  };
  /** Machine identities only. */
  machine?: MachineState;
  /** Why it belongs to its identity; users and accounts only. */
  evidence?: LinkEvidence;
  /** Users only: the identity that `manager_id` refers to, if it is known. */
  managerId?: string;
}

// Batches look up records by lateral joins with a limit or offset, so that they remain index lookups. A plain join or
// `= any (…)` scans a table that has not been analysed yet: at 30 000 records 24 ms a batch instead of 3, at a million
// 400.
const columns = `id, kind, connector_id as "connectorId", external_id as "externalId", identity_id as "identityId", status,
  content_hash as "contentHash", fields, changed_at as "changedAt", created_at as "createdAt", updated_at as "updatedAt",
  document, last_job_id as "lastJobId", last_seq as "lastSeq", linked_by as "linkedBy",
  kept_identity_id as "keptIdentityId", decided, status_since as "statusSince", due_at as "dueAt", previous, machine, evidence, manager_id as "managerId"`;

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
         from unnest($2::text[], $3::bytea[]) as n (external_id, content_hash)
         left join lateral (select id, content_hash from source_records
                             where connector_id = $1 and external_id = n.external_id limit 1) r on true)
     select external_id as "externalId", id is not null as "isKnown", null::text as "knownIds" from compared where changed
     union all
     select null, true, (array_agg(id) filter (where id is not null))::text from compared`,
    [connectorId, texts(contents.map(({ externalId }) => externalId)), byteas(contents.map(({ hash }) => hash))],
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
    `select r.id, r.weight from unnest($2::text[]) as n (external_id)
      cross join lateral (select id, weight from source_records
                           where connector_id = $1 and external_id = n.external_id limit 1) r`,
    [connectorId, texts(externalIds)],
  );
  return lockWeighed(tx, rows);
}

/** Locks in the order of ids to prevent deadlocks. */
export async function lockRecordsById(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  if (remainingLoad(tx) === undefined) return lockAndLoad(tx, ids);
  const rows = await tx.query<WeighedId>(
    `select r.* from unnest($1::uuid[]) as n (id)
      cross join lateral (select id, weight from source_records where id = n.id limit 1) r`,
    [uuids([...new Set(ids)])],
  );
  return lockWeighed(tx, rows);
}

async function lockWeighed(tx: Transaction, rows: readonly WeighedId[]): Promise<StoredRecord[]> {
  if (rows.length === 0) return [];
  reserveLoad(
    tx,
    rows.reduce((sum, { weight }) => sum + weight, 0),
  );
  return lockAndLoad(
    tx,
    rows.map(({ id }) => id),
  );
}

async function lockAndLoad(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  return present(
    await tx.query<StoredRecord>(
      `select r.* from unnest($1::uuid[]) as n (id)
        cross join lateral (select ${columns} from source_records where id = n.id limit 1 for update) r`,
      [uuids([...new Set(ids)].sort())],
    ),
  );
}

/**
 * Reads the current state of these records and of all users of their identities. The kind is compared outside of the
 * look-up: on tables without statistics, PostgreSQL would choose an index of the users of the tenant.
 */
export async function findRecordsWithUsers(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<WeighedId>(
    `with named as materialized (
         select r.id, r.identity_id from unnest($1::uuid[]) as n (id)
          cross join lateral (select id, identity_id from source_records where id = n.id limit 1) r),
       wanted as (
         select id from named
         union select r.id from (select distinct identity_id from named where identity_id is not null) i
          cross join lateral (select id, kind from source_records where identity_id = i.identity_id offset 0) r
          where r.kind = 'user')
       select r.* from wanted
        cross join lateral (select id, weight from source_records where id = wanted.id limit 1) r`,
    [uuids(ids)],
  );
  reserveLoad(
    tx,
    rows.reduce((sum, { weight }) => sum + weight, 0),
  );
  return present(
    await tx.query<StoredRecord>(
      `select r.* from unnest($1::uuid[]) as n (id)
        cross join lateral (select ${columns} from source_records where id = n.id limit 1) r`,
      [uuids(rows.map(({ id }) => id))],
    ),
  );
}

export async function lockRecordsOfIdentities(
  tx: Transaction,
  identityIds: readonly string[],
): Promise<StoredRecord[]> {
  if (identityIds.length === 0) return [];
  const rows = await tx.query<WeighedId>(
    `select r.id, r.weight from unnest($1::uuid[]) as n (id)
      cross join lateral (select id, weight from source_records where identity_id = n.id offset 0) r`,
    [uuids(identityIds)],
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
    `select distinct r.identity_id as "identityId", r.linked_by as "linkedBy" from unnest($1::uuid[]) as n (id)
      cross join lateral (select identity_id, linked_by from source_records where kept_identity_id = n.id offset 0) r
      where r.identity_id is not null`,
    [uuids(identityIds)],
  );
}

/**
 * Inserts without ON CONFLICT: if two batches insert the same record concurrently, the second must fail, roll back and
 * run again on the first one's result, or it would create a second identity for the record. Arrays are unnested in the
 * select list, because in FROM each of them is stored before it is read: 90 of 600 ms for 20 000 records.
 */
export async function insertRecords(
  tx: Transaction,
  tenantId: string,
  records: readonly StoredRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const inserted = tx.query(
    `with inserted as (
     insert into source_records (tenant_id, id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, linked_by, decided,
        status_since, due_at, previous, machine, weight, evidence, search_terms, manager_id,
        list_terms, kept_identity_id)
     select $1, unnest($2::uuid[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::uuid[]),
        unnest($7::text[]), unnest($8::bytea[]), unnest($9::jsonb[]), unnest($10::jsonb[]), unnest($11::timestamptz[]),
        unnest($12::timestamptz[]), unnest($13::text[]), unnest($14::uuid[]), unnest($15::integer[]), unnest($16::uuid[]),
        unnest($17::boolean[]), unnest($18::timestamptz[]), unnest($19::timestamptz[]), unnest($20::jsonb[]),
        unnest($21::jsonb[]), unnest($22::integer[]), unnest($23::jsonb[]), unnest($24::text[]), unnest($25::uuid[]),
        unnest($26::text[]), unnest($27::uuid[])
     returning id, created_at, search_terms, list_terms),
     listed as (${insertListTermsOfInserted})
     ${insertTermsOfInserted}`,
    [
      tenantId,
      uuids(records.map((record) => record.id)),
      texts(records.map((record) => record.kind)),
      uuids(records.map((record) => record.connectorId)),
      texts(records.map((record) => record.externalId)),
      uuids(records.map((record) => record.identityId)),
      ...changeable(records),
      times(records.map((record) => record.createdAt)),
      times(records.map((record) => record.updatedAt)),
      texts(records.map((record) => record.document)),
      uuids(records.map((record) => record.lastJobId)),
      integers(records.map((record) => record.lastSeq)),
      uuids(records.map((record) => record.linkedBy)),
      records.map((record) => record.decided),
      times(records.map((record) => record.statusSince)),
      times(records.map((record) => record.dueAt)),
      jsons(records.map(({ previous }) => previous && JSON.stringify(previous))),
      jsons(records.map(({ machine }) => machine && JSON.stringify(machine))),
      integers(records.map(({ fields }) => recordWeight(fields))),
      jsons(records.map(({ evidence }) => evidence && JSON.stringify(evidence))),
      texts(joinedTerms(records)),
      uuids(records.map(({ managerId }) => managerId)),
      texts(joinedListTerms(records)),
      uuids(records.map(({ keptIdentityId }) => keptIdentityId)),
    ],
  );
  await Promise.all([inserted, insertGroups(tx, tenantId, records)]);
}

export async function updateRecords(tx: Transaction, records: readonly StoredRecord[]): Promise<void> {
  if (records.length === 0) return;
  const joined = joinedTerms(records);
  await updateSearchTerms(tx, records, joined);
  const listed = joinedListTerms(records);
  await updateListTerms(tx, records, listed);
  await tx.query(
    `update source_records r
        set identity_id = n.identity_id, status = n.status, content_hash = n.content_hash, fields = n.fields,
            changed_at = n.changed_at, updated_at = n.updated_at, document = n.document,
            last_job_id = n.last_job_id, last_seq = n.last_seq, linked_by = n.linked_by, decided = n.decided,
            status_since = n.status_since, due_at = n.due_at, previous = n.previous,
            machine = n.machine, weight = n.weight, evidence = n.evidence,
            search_terms = n.search_terms, manager_id = n.manager_id, list_terms = n.list_terms,
            kept_identity_id = n.kept_identity_id
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::jsonb[], $6::jsonb[], $7::timestamptz[],
            $8::text[], $9::uuid[], $10::integer[], $11::uuid[], $12::boolean[], $13::timestamptz[], $14::timestamptz[],
            $15::jsonb[], $16::jsonb[], $17::integer[], $18::jsonb[], $19::text[], $20::uuid[], $21::text[],
            $22::uuid[])
         as n (id, identity_id, status, content_hash, fields, changed_at, updated_at, document, last_job_id, last_seq,
               linked_by, decided, status_since, due_at, previous, machine, weight, evidence, search_terms,
               manager_id, list_terms, kept_identity_id)
      where r.id = n.id`,
    [
      uuids(records.map((record) => record.id)),
      uuids(records.map((record) => record.identityId)),
      ...changeable(records),
      times(records.map((record) => record.updatedAt)),
      texts(records.map((record) => record.document)),
      uuids(records.map((record) => record.lastJobId)),
      integers(records.map((record) => record.lastSeq)),
      uuids(records.map((record) => record.linkedBy)),
      records.map((record) => record.decided),
      times(records.map((record) => record.statusSince)),
      times(records.map((record) => record.dueAt)),
      jsons(records.map(({ previous }) => previous && JSON.stringify(previous))),
      jsons(records.map(({ machine }) => machine && JSON.stringify(machine))),
      integers(records.map(({ fields }) => recordWeight(fields))),
      jsons(records.map(({ evidence }) => evidence && JSON.stringify(evidence))),
      texts(joined),
      uuids(records.map(({ managerId }) => managerId)),
      texts(listed),
      uuids(records.map(({ keptIdentityId }) => keptIdentityId)),
    ],
  );
}

function changeable(records: readonly StoredRecord[]): unknown[] {
  return [
    texts(records.map((record) => record.status)),
    byteas(records.map((record) => record.contentHash)),
    jsons(records.map((record) => JSON.stringify(record.fields))),
    jsons(records.map((record) => JSON.stringify(record.changedAt))),
  ];
}

function present(rows: StoredRecord[]): StoredRecord[] {
  // Fields use undefined for SQL null.
  return rows.map((row) => ({
    ...row,
    identityId: row.identityId ?? undefined,
    linkedBy: row.linkedBy ?? undefined,
    keptIdentityId: row.keptIdentityId ?? undefined,
    dueAt: row.dueAt ?? undefined,
    previous: row.previous ?? undefined,
    machine: row.machine ?? undefined,
    evidence: row.evidence ?? undefined,
    managerId: row.managerId ?? undefined,
  }));
}

/**
 * Returns ids of a tenant's records of one kind after `after`, in the order of their ids. Accounts and machine
 * identities have a partial index for it: 5 ms for a thousand beside 400 000 of another tenant. The index must not
 * contain users: before the first ANALYZE, PostgreSQL used an index of tenant and kind to look up the users of an
 * identity (5 % changed: 6 500 records/s instead of 16 600).
 */
export async function findRecordIds(
  tx: Transaction,
  tenantId: string,
  kind: RecordKind,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from source_records
      where tenant_id = $1 and kind = $2 ${kind === 'user' ? '' : `and kind <> 'user'`} and ($3::uuid is null or id > $3)
      order by id limit $4`,
    [tenantId, kind, after ?? null, limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes records and every row that refers to them. */
export async function deleteRecords(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await deleteSearchTerms(tx, ids);
  await deleteListTerms(tx, ids);
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
    await tx.query(`delete from ${table} where record_id = any($1)`, [ids]);
  }
  await deletePlannedRecords(tx, ids);
  await tx.query('delete from source_records where id = any($1)', [ids]);
}

/**
 * Finds a connector's records that this job changed last. Scans all records of the connector, which is acceptable for a
 * rare operation.
 */
export async function findRecordsLastChangedBy(tx: Transaction, connectorId: string, jobId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from source_records where connector_id = $1 and last_job_id = $2 order by id',
    [connectorId, jobId],
  );
  return rows.map(({ id }) => id);
}
