// SQL by hand: batches lock and save plans, and entries are written and compared in bulk.
import { type KeyKind, type PlanAction, planActions, volumeLimits } from '@idsync/contracts';
import { IsNull } from 'typeorm';
import { arraysOf, integers, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { type SyncPlanEntity, SyncPlanEntryEntity } from '../entities/sweep.entities.js';
import { selectList } from '../naming-strategy.js';
import { type WithoutNulls, withoutNulls } from '../rows.js';
import { planForValues, useIndexScans } from '../transaction-settings.js';

const planColumns = ['jobId', 'connectorId', 'state', 'known', 'deletions', 'disables', 'note', 'reasons'] as const;
/** Changes that a job plans in addition to those that its batches applied at once. */
export type SyncPlan = WithoutNulls<Pick<SyncPlanEntity, (typeof planColumns)[number]>>;

type StoredEntry = Omit<SyncPlanEntryEntity, 'tenantId' | 'jobId' | 'done' | 'changedFields' | `resembles${string}`>;

export interface PlanEntry extends WithoutNulls<StoredEntry> {
  /** Identity with a match key of the record to be created. */
  resembles?: { identityId: string; by: KeyKind };
  /** Fields under the safeguard whose value changes or is lost, and `planMarks`. */
  changedFields?: readonly string[];
}

export const deletedStatuses = `('deleted', 'decommissioned')`;

/** Creates the plan of a job if there is none, without locking it, so that batches can add entries concurrently. */
export async function openPlan(tx: Transaction, job: { id: string; connectorId: string }): Promise<void> {
  await tx.query(
    'insert into sync_plans (job_id, tenant_id, connector_id) values ($1, $2, $3) on conflict do nothing',
    [job.id, tx.tenantId, job.connectorId],
  );
}

/** Returns the jobs of the tenant whose plan may have changes that are not applied, also of dry runs. */
export function findUnappliedPlans(tx: Transaction): Promise<string[]> {
  return tx.ids(`select job_id as id from sync_plans where tenant_id = $1 and state <> 'done'`, [tx.tenantId]);
}

/** Locks the plan of a job; creates it if there is none. */
export async function lockPlan(tx: Transaction, job: { id: string; connectorId: string }): Promise<SyncPlan> {
  await openPlan(tx, job);
  const [plan] = await tx.query<SyncPlanEntity>(
    `select ${selectList(planColumns)} from sync_plans where tenant_id = $1 and job_id = $2 for update`,
    [tx.tenantId, job.id],
  );
  if (!plan) throw new Error('the plan that was just created was not found');
  return withoutNulls(plan);
}

export async function savePlan(tx: Transaction, plan: SyncPlan): Promise<void> {
  await tx.query(
    `update sync_plans set state = $2, known = $3, deletions = $4, disables = $5, note = $6, reasons = $7
      where tenant_id = $8 and job_id = $1`,
    [
      plan.jobId,
      plan.state,
      plan.known ?? null,
      plan.deletions,
      plan.disables,
      plan.note ?? null,
      JSON.stringify(plan.reasons),
      tx.tenantId,
    ],
  );
}

/**
 * Counts the connector's live records before this job. Records that the job created or restored are excluded, because a
 * source that changes every external id would otherwise seem to delete few.
 */
export async function countKnownBefore(tx: Transaction, connectorId: string, jobId: string): Promise<number> {
  await useIndexScans(tx);
  return tx.count(
    `select count(*)::int as count from source_records
      where tenant_id = $3 and connector_id = $1 and status not in ${deletedStatuses}
        and not (last_job_id = $2 and (previous is null or previous ->> 'status' in ${deletedStatuses}))`,
    [connectorId, jobId, tx.tenantId],
  );
}

/** The change that deletes a record `r`. */
const deletionChange = `jsonb_build_array(jsonb_build_object('field', 'status', 'from', r.status,
  'to', case r.kind when 'machine_identity' then 'decommissioned' else 'deleted' end))`;

/** Sequence number of plan entries from the sweep; batches have the other numbers. */
const sweepSeq = -1;

/**
 * Plans the deletion of every live record that no batch of the job contained, except records with an error. Returns
 * their number.
 * EXCEPT reads only the index of live records, whatever the planner estimates for the arrays. The lateral lookups
 * prevent a scan of the whole table.
 */
export async function planDeletions(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
): Promise<number> {
  await planForValues(tx);
  return tx.count(
    `with missing as materialized (
       select id from source_records where tenant_id = $2 and connector_id = $3 and status not in ${deletedStatuses}
       except
       select unnest(record_ids) from seen_records where tenant_id = $2 and job_id = $1),
     found as materialized (
       select r.* from missing
        cross join lateral (select * from source_records where tenant_id = $2 and id = missing.id limit 1) r
        where not exists (select from sync_record_errors e
                           where e.tenant_id = $2 and e.job_id = $1 and e.external_id = r.external_id)),
     planned as (
       insert into sync_plan_entries (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, based_on)
       select $1, $2, ${sweepSeq}, 'delete', r.id, r.kind, r.external_id, r.identity_id, ${deletionChange},
              r.updated_at
         from found r order by r.id
       returning 1)
     select count(*)::int as count from planned`,
    [id, tx.tenantId, connectorId],
  );
}

/** Plans the deletion of those of these records that are live. */
export async function planRemoved(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
  seq: number,
  externalIds: readonly string[],
): Promise<void> {
  await tx.query(
    `with found as materialized (
       select r.* from unnest($5::text[]) as n (external_id)
        cross join lateral (select * from source_records
                             where tenant_id = $2 and connector_id = $3 and external_id = n.external_id limit 1) r
        where r.status not in ${deletedStatuses})
     insert into sync_plan_entries (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, based_on)
     select $1, $2, $4, 'delete', r.id, r.kind, r.external_id, r.identity_id, ${deletionChange}, r.updated_at
       from found r returning 1`,
    [id, tx.tenantId, connectorId, seq, texts(externalIds)],
  );
}

/** The fields that decide between rows of one id, as a source listed them. */
export type DecidingFields = Partial<Record<'status' | 'hire_date' | 'termination_date', string[]>>;

/** An entry of a plan whose record other batches of the full run have listed too. */
export interface ContestedEntry {
  id: number;
  seq: number;
  recordId: string;
  externalId: string;
  fields: DecidingFields;
  /** The last batch whose row the record has now, and that row; null if all batches have planned theirs. */
  applied: { seq: number; fields: DecidingFields } | null;
}

const decidingFields = (json: string) =>
  `jsonb_strip_nulls(jsonb_build_object('status', ${json} -> 'status', 'hire_date', ${json} -> 'hire_date',
    'termination_date', ${json} -> 'termination_date'))`;

/**
 * Finds the entries of a full run whose records several of its batches have listed. Batches are applied in any order, so
 * this is known only when all of them are. Records to be created have another id in each batch, and than the record that
 * another batch has created, so these are compared by external id. Windows instead of joins: one sort, whatever the
 * planner expects of a table without statistics.
 */
export async function findContested(tx: Transaction, jobId: string): Promise<ContestedEntry[]> {
  return tx.query<ContestedEntry>(
    `with entry as materialized (
       select e.id, e.seq, coalesce(stored.id, e.record_id) as record_id,
              count(*) over (partition by e.external_id) as entries
         from sync_jobs j join sync_plan_entries e on e.tenant_id = $2 and e.job_id = $1
         left join lateral (select id from source_records
                             where tenant_id = $2 and connector_id = j.connector_id and external_id = e.external_id limit 1) stored
           on e.based_on is null
        where j.tenant_id = $2 and j.id = $1 and e.incoming is not null and not e.done),
     listed as (
       select record_id, seq, id, entries from entry
       union all
       select named.id, s.seq, null, 0 from seen_records s, unnest(s.record_ids) as named (id)
        where exists (select from entry) and s.tenant_id = $2 and s.job_id = $1 and not named.id = any(s.named_ids)),
     planned as (select *, max(id) over (partition by record_id, seq) is not null as is_planned from listed),
     contested as materialized (
       select * from (
         select *, max(seq) filter (where not is_planned) over (partition by record_id) as applied_seq from planned) p
        where id is not null and (applied_seq is not null or entries > 1))
     select c.id, c.seq, c.record_id as "recordId", i.external_id as "externalId", ${decidingFields('i.fields')} as fields,
            case when c.applied_seq is not null
                 then jsonb_build_object('seq', c.applied_seq, 'fields', ${decidingFields('r.fields')}) end as applied
       from contested c
      cross join lateral (select external_id, incoming::jsonb -> 'fields' as fields from sync_plan_entries
                           where tenant_id = $2 and job_id = $1 and id = c.id limit 1) i
       left join lateral (select fields from source_records where tenant_id = $2 and id = c.record_id limit 1) r
         on c.applied_seq is not null
      order by c.id`,
    [jobId, tx.tenantId],
  );
}

/** Entries of a statement. */
const entriesAtOnce = 1_000;

/**
 * Runs a statement on entries of a plan, `where` them, in parts. By ranges of their ids, because PostgreSQL would read the
 * whole plan for each part of it: in a table without statistics it expects a few entries of a job. Values begin with $6.
 */
export async function onEntries(
  tx: Transaction,
  jobId: string,
  ids: readonly number[],
  statement: (where: string) => string,
  values: readonly unknown[] = [],
): Promise<void> {
  const sorted = [...ids].sort((a, b) => a - b);
  const where = 'tenant_id = $1 and job_id = $2 and id between $3 and $4 and id = any($5::bigint[])';
  for (let at = 0; at < sorted.length; at += entriesAtOnce) {
    const part = sorted.slice(at, at + entriesAtOnce);
    await tx.query(statement(where), [tx.tenantId, jobId, part[0], part.at(-1), part, ...values]);
  }
}

/** Deletes entries of a plan. */
export function deleteEntries(tx: Transaction, jobId: string, ids: readonly number[]): Promise<void> {
  return onEntries(tx, jobId, ids, (where) => `delete from sync_plan_entries where ${where}`);
}

/** The entries of the record `n` in the plan $2 of the tenant $1: one index lookup, whatever the planner estimates. */
export const entriesOfRecord = `(select id, action, moved_from, done from sync_plan_entries
   where tenant_id = $1 and job_id = $2 and external_id = n.external_id offset 0)`;

/** Drops planned deletions of records that the source no longer lists. */
export async function dropRemovals(tx: Transaction, jobId: string): Promise<void> {
  await tx.manager.delete(SyncPlanEntryEntity, { tenantId: tx.tenantId, jobId, action: 'delete', incoming: IsNull() });
}

/** Deletes these records from a plan. Returns those that it contained. */
export async function dropEntries(tx: Transaction, jobId: string, externalIds: readonly string[]): Promise<string[]> {
  if (externalIds.length === 0) return [];
  const found = await tx.query<{ id: number; externalId: string }>(
    `select e.id, n.external_id as "externalId" from unnest($3::text[]) as n (external_id)
      cross join lateral ${entriesOfRecord} e`,
    [tx.tenantId, jobId, texts(externalIds)],
  );
  await deleteEntries(
    tx,
    jobId,
    found.map(({ id }) => id),
  );
  return [...new Set(found.map(({ externalId }) => externalId))];
}

export async function addPlanEntries(
  tx: Transaction,
  jobId: string,
  entries: readonly Omit<PlanEntry, 'id'>[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    `insert into sync_plan_entries
        (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, incoming, based_on,
         resembles_id, resembles_by, changed_fields)
     select $1, $2, seq, action, record_id, kind, external_id, identity_id, changes, incoming, based_on,
            resembles_id, resembles_by, array(select jsonb_array_elements_text(changed_fields))
       from unnest($3::integer[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::jsonb[],
        $10::text[], $11::timestamptz[], $12::uuid[], $13::text[], $14::jsonb[])
         as n (seq, action, record_id, kind, external_id, identity_id, changes, incoming, based_on, resembles_id,
               resembles_by, changed_fields)
     returning 1`,
    [
      jobId,
      tx.tenantId,
      ...arraysOf(entries, {
        seq: integers,
        action: texts,
        recordId: uuids,
        kind: texts,
        externalId: texts,
        identityId: uuids,
        changes: jsons,
        incoming: texts,
        basedOn: times,
      }),
      uuids(entries.map((entry) => entry.resembles?.identityId)),
      texts(entries.map((entry) => entry.resembles?.by)),
      jsons(entries.map((entry) => entry.changedFields ?? [])),
    ],
  );
}

/**
 * Returns the next open entries of a plan in their order, as many as fit into memory. The caller must hold the lock of
 * the plan. `after`: an entry id; `mark`: of those of `planMarks`.
 */
export async function findOpenEntries(
  tx: Transaction,
  jobId: string,
  limit: number,
  { actions = planActions, after = 0, mark }: { actions?: readonly PlanAction[]; after?: number; mark?: string } = {},
): Promise<PlanEntry[]> {
  const rows = await tx.query<PlanEntry>(
    `select id, seq, action, record_id as "recordId", kind, external_id as "externalId", identity_id as "identityId",
            changes, incoming, based_on as "basedOn", moved_from as "movedFrom"
       from (select *, sum(octet_length(incoming)) over (order by id) as upto, row_number() over (order by id) as place
               from (select * from sync_plan_entries
                      where tenant_id = $7 and job_id = $1 and not done and action = any($4) and id > $5
                        and ($6::text is null or $6 = any(changed_fields))
                      order by id limit $2) as next) as entry
      where place = 1 or coalesce(upto, 0) <= $3 order by id`,
    [jobId, limit, volumeLimits.batchWeight, texts(actions), after, mark ?? null, tx.tenantId],
  );
  return rows.map(withoutNulls);
}

/** Returns ids of open entries of a plan after `after`, in their order. */
export function findOpenEntryIds(
  tx: Transaction,
  jobId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  return tx.ids(
    `select id::text from sync_plan_entries
      where tenant_id = $1 and job_id = $2 and not done and id > $3::bigint order by sync_plan_entries.id limit $4`,
    [tx.tenantId, jobId, after ?? 0, limit],
  );
}

export function countOpenEntries(tx: Transaction, jobId: string): Promise<number> {
  return tx.manager.countBy(SyncPlanEntryEntity, { tenantId: tx.tenantId, jobId, done: false });
}

/** Field of a planned change that shows the status of the identity. */
export const statusOfIdentity = 'identity.status';

/** Plans these entries, which were planned as disables because they would take access, as what they are for their records. */
export function keepAccess(tx: Transaction, jobId: string, ids: readonly number[]): Promise<void> {
  const update = (where: string) =>
    `update sync_plan_entries
        set action = case when based_on is null then 'create' else 'update' end,
            changes = coalesce((select jsonb_agg(c) from jsonb_array_elements(changes) c where c ->> 'field' <> $6), '[]')
      where ${where}`;
  return onEntries(tx, jobId, ids, update, [statusOfIdentity]);
}

/** Marks entries as applied and deletes their source data, which is not needed any longer. */
export function markEntriesDone(tx: Transaction, jobId: string, ids: readonly number[]): Promise<void> {
  return onEntries(
    tx,
    jobId,
    ids,
    (where) => `update sync_plan_entries set done = true, incoming = null where ${where}`,
  );
}

export function countDoneDeletions(tx: Transaction, jobId: string): Promise<number> {
  return tx.manager.countBy(SyncPlanEntryEntity, { tenantId: tx.tenantId, jobId, action: 'delete', done: true });
}

/** Finds users whose creation or return was planned, and that a quota left out. */
export async function findUnappliedCreations(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
  limit: number,
): Promise<{ count: number; externalIds: string[] }> {
  const [found] = await tx.query<{ count: number; externalIds: string[] }>(
    `with absent as materialized (
       select e.external_id from sync_plan_entries e
        where e.tenant_id = $4 and e.job_id = $1 and e.action <> 'delete' and e.done
          and not exists (
            select from source_records r
             where r.tenant_id = $4 and r.connector_id = $2 and r.external_id = e.external_id and r.status <> 'deleted'))
     select (select count(*)::int from absent) as count,
            array(select external_id from absent order by 1 limit $3) as "externalIds"`,
    [id, connectorId, limit, tx.tenantId],
  );
  return found ?? { count: 0, externalIds: [] };
}

/** Counts the entries of a plan by action. */
export async function countEntries(tx: Transaction, jobId: string): Promise<Record<PlanAction, number>> {
  const rows = await tx.query<{ action: PlanAction; count: number }>(
    'select action, count(*)::int as count from sync_plan_entries where tenant_id = $1 and job_id = $2 group by action',
    [tx.tenantId, jobId],
  );
  const counts = { create: 0, update: 0, disable: 0, delete: 0 };
  for (const { action, count } of rows) counts[action] = count;
  return counts;
}

/**
 * Returns up to five external ids of records that have changed since a plan that is still to be applied to them. The
 * caller must hold the lock of the references alone, so that no record changes meanwhile.
 */
export function findOutdatedEntries(tx: Transaction, jobId: string, connectorId: string): Promise<string[]> {
  return tx.ids(
    `select e.external_id as id from sync_plan_entries e
       left join source_records r
         on r.tenant_id = $1 and r.connector_id = $3 and r.external_id = coalesce(e.moved_from, e.external_id)
      where e.tenant_id = $1 and e.job_id = $2 and not e.done and r.updated_at is distinct from e.based_on
      order by e.id limit 5`,
    [tx.tenantId, jobId, connectorId],
  );
}
