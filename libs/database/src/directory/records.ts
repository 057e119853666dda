import type { CountedFactor, MachineReference, RecordKind } from '@idsync/contracts';
import { byteas, integers, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { forgetPlanned } from './forget-plans.js';

/** What the directory found out about a machine identity. */
export interface MachineState {
  /** Identity ids of those who are known, as the API shows them: the owner is whoever answers for it at present. */
  people: Partial<Record<MachineReference, string>>;
  /** True while the technical inheritor stands in for an owner who left. */
  handedOver: boolean;
  risk: { score: number; factors: CountedFactor[] };
}

/** A row of source_records: what one source says about one person, account or machine. */
export interface StoredRecord {
  id: string;
  kind: RecordKind;
  connectorId: string;
  externalId: string;
  /** Absent: not matched to an identity yet. */
  identityId?: string;
  status: string;
  contentHash: Buffer;
  /** Values by field; a field the source left empty is not here. */
  fields: Record<string, string[]>;
  /** When a field last changed, ISO 8601; a field that is not here has its value since the record was made. */
  changedAt: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
  /** The public JSON text. */
  document: string;
  lastJobId: string;
  lastSeq: number;
  /** The job or operation that linked it to its identity. */
  linkedBy?: string;
  /** True if an operator placed it. */
  decided: boolean;
  statusSince: Date;
  /** When time alone changes its status. */
  dueAt?: Date;
  /** What it was before the job that was the last to change it; absent if that job brought it. */
  previous?: Pick<StoredRecord, 'fields' | 'status' | 'changedAt'> & { contentHash: string };
  /** Of a machine identity only. */
  machine?: MachineState;
}

// The look-ups of a batch are lateral, with a limit or an offset: so they stay look-ups. Until a table has been analysed, a plain
// join or `= any (…)` reads all of it: at 30 000 records 24 ms a batch instead of 3, at a million 400.
const columns = `id, kind, connector_id as "connectorId", external_id as "externalId", identity_id as "identityId", status,
  content_hash as "contentHash", fields, changed_at as "changedAt", created_at as "createdAt", updated_at as "updatedAt",
  document, last_job_id as "lastJobId", last_seq as "lastSeq", linked_by as "linkedBy", decided,
  status_since as "statusSince", due_at as "dueAt", previous, machine`;

/** What a connector's records are to contents read anew. */
export interface ComparedAnchors {
  /** By external id: those that are new or have other contents, and whether they are known at all. */
  changed: Map<string, { isKnown: boolean }>;
  /** Ids of all that are known, as PostgreSQL writes an array: they go back there as they came. */
  knownIds: string;
}

export async function compareAnchors(
  tx: Transaction,
  connectorId: string,
  contents: readonly { externalId: string; hash: Buffer }[],
): Promise<ComparedAnchors> {
  // The comparison is PostgreSQL's, so that an unchanged record costs one look-up there and an element of one array here.
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
  const rows = await tx.query<{ id: string }>(
    `select r.id from unnest($2::text[]) as n (external_id)
      cross join lateral (select id from source_records where connector_id = $1 and external_id = n.external_id limit 1) r`,
    [connectorId, texts(externalIds)],
  );
  return lockRecordsById(
    tx,
    rows.map(({ id }) => id),
  );
}

/** Locks in the order of ids, so that two batches never wait for each other. */
export async function lockRecordsById(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  return present(
    await tx.query<StoredRecord>(
      `select r.* from unnest($1::uuid[]) as n (id)
        cross join lateral (select ${columns} from source_records where id = n.id limit 1 for update) r`,
      [uuids([...new Set(ids)].sort())],
    ),
  );
}

/** These records, and all users of the identities they are linked to, as they are at this moment. */
export async function findRecordsWithUsers(tx: Transaction, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  return present(
    await tx.query<StoredRecord>(
      `with named as materialized (
         select r.id, r.identity_id from unnest($1::uuid[]) as n (id)
          cross join lateral (select id, identity_id from source_records where id = n.id limit 1) r),
       wanted as (
         select id from named
         union select r.id from (select distinct identity_id from named where identity_id is not null) i
          cross join lateral (select id from source_records where identity_id = i.identity_id and kind = 'user' offset 0) r)
       select r.* from wanted
        cross join lateral (select ${columns} from source_records where id = wanted.id limit 1) r`,
      [uuids(ids)],
    ),
  );
}

export async function lockRecordsOfIdentities(
  tx: Transaction,
  identityIds: readonly string[],
): Promise<StoredRecord[]> {
  if (identityIds.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `select r.id from unnest($1::uuid[]) as n (id)
      cross join lateral (select id from source_records where identity_id = n.id offset 0) r`,
    [uuids(identityIds)],
  );
  return lockRecordsById(
    tx,
    rows.map(({ id }) => id),
  );
}

/**
 * Inserts without ON CONFLICT on purpose: when two batches bring the same new anchor at once, the second must fail, roll
 * back and run again on what the first one committed, or it would make a second identity for the same record.
 */
export async function insertRecords(
  tx: Transaction,
  tenantId: string,
  records: readonly StoredRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await tx.query(
    `insert into source_records (tenant_id, id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, linked_by, decided,
        status_since, due_at, previous, machine)
     select $1, * from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::bytea[],
        $9::jsonb[], $10::jsonb[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::uuid[], $15::integer[], $16::uuid[], $17::boolean[],
        $18::timestamptz[], $19::timestamptz[], $20::jsonb[], $21::jsonb[])`,
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
    ],
  );
}

export async function updateRecords(tx: Transaction, records: readonly StoredRecord[]): Promise<void> {
  if (records.length === 0) return;
  await tx.query(
    `update source_records r
        set identity_id = n.identity_id, status = n.status, content_hash = n.content_hash, fields = n.fields,
            changed_at = n.changed_at, updated_at = n.updated_at, document = n.document,
            last_job_id = n.last_job_id, last_seq = n.last_seq, linked_by = n.linked_by, decided = n.decided,
            status_since = n.status_since, due_at = n.due_at, previous = n.previous,
            machine = n.machine
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::jsonb[], $6::jsonb[], $7::timestamptz[],
            $8::text[], $9::uuid[], $10::integer[], $11::uuid[], $12::boolean[], $13::timestamptz[], $14::timestamptz[],
            $15::jsonb[], $16::jsonb[])
         as n (id, identity_id, status, content_hash, fields, changed_at, updated_at, document, last_job_id, last_seq,
               linked_by, decided, status_since, due_at, previous, machine)
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
  // SQL's null is our absence.
  return rows.map((row) => ({
    ...row,
    identityId: row.identityId ?? undefined,
    linkedBy: row.linkedBy ?? undefined,
    dueAt: row.dueAt ?? undefined,
    previous: row.previous ?? undefined,
    machine: row.machine ?? undefined,
  }));
}

/**
 * Ids of a tenant's records of one kind after `after`, in the order of their ids. Accounts and machines have an index of their
 * own: 5 ms for a thousand beside 400 000 of another tenant. It must not hold users: row-level security adds the tenant to
 * every look-up, and where nothing was analysed yet PostgreSQL took an index of tenant and kind for looking up the users of an
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

/** Removes records and everything by which they could be found again. */
export async function deleteRecords(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const table of [
    'waiting_records',
    'weak_keys',
    'match_queue',
    'review_cases',
    'contested_keys',
    'machine_references',
  ]) {
    await tx.query(`delete from ${table} where record_id = any($1)`, [ids]);
  }
  await forgetPlanned(tx, ids);
  await tx.query('delete from source_records where id = any($1)', [ids]);
}

/** Ids of a connector's records that this job was the last to change. It reads through the connector's records: a rare question. */
export async function findRecordsLastChangedBy(tx: Transaction, connectorId: string, jobId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from source_records where connector_id = $1 and last_job_id = $2 order by id',
    [connectorId, jobId],
  );
  return rows.map(({ id }) => id);
}
