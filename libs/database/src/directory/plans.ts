import type { FieldChange, RecordKind } from '@idsync/contracts';
import { integers, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** `open` while batches come, `held` for an operator, `ready` to be carried out, `done`. */
type PlanState = 'open' | 'held' | 'ready' | 'done';

/** What a job wants to do beyond what its batches did at once. */
export interface SyncPlan {
  jobId: string;
  connectorId: string;
  state: PlanState;
  /** Living records the connector had before the job; absent until somebody asked. */
  known?: number;
  /** Records the job has taken away or wants to. */
  deletions: number;
  disables: number;
  note?: string;
}

export interface PlanEntry {
  id: number;
  seq: number;
  action: 'create' | 'update' | 'disable' | 'delete';
  recordId: string;
  kind: RecordKind;
  externalId: string;
  /** The identity it would belong to, if that is there already. */
  identityId?: string;
  changes: FieldChange[];
  /** The record as its source gave it, JSON; absent for one that the source no longer lists. */
  incoming?: string;
  /** When the record had last changed as the plan was made; absent for one that was not there. */
  basedOn?: Date;
}

const gone = `('deleted', 'decommissioned')`;

const planColumns = `job_id as "jobId", connector_id as "connectorId", state, known, deletions, disables, note`;

/** Makes the plan of a job if there is none; whoever adds to it does not wait for the others. */
export async function openPlan(
  tx: Transaction,
  tenantId: string,
  job: { id: string; connectorId: string },
): Promise<void> {
  await tx.query(
    'insert into sync_plans (job_id, tenant_id, connector_id) values ($1, $2, $3) on conflict do nothing',
    [job.id, tenantId, job.connectorId],
  );
}

/** The plan of a job, locked; made if there is none. */
export async function lockPlan(
  tx: Transaction,
  tenantId: string,
  job: { id: string; connectorId: string },
): Promise<SyncPlan> {
  await openPlan(tx, tenantId, job);
  const [plan] = await tx.query<SyncPlan>(`select ${planColumns} from sync_plans where job_id = $1 for update`, [
    job.id,
  ]);
  if (!plan) throw new Error('a plan that was just made is gone');
  // SQL's null is our absence.
  return { ...plan, known: plan.known ?? undefined, note: plan.note ?? undefined };
}

export async function savePlan(tx: Transaction, plan: SyncPlan): Promise<void> {
  await tx.query(
    'update sync_plans set state = $2, known = $3, deletions = $4, disables = $5, note = $6 where job_id = $1',
    [plan.jobId, plan.state, plan.known ?? null, plan.deletions, plan.disables, plan.note ?? null],
  );
}

/**
 * How many living records the connector had before this job. Those the job itself brought or brought back are left out:
 * a source that names everybody anew must not look as if it took little away.
 */
export async function countKnownBefore(tx: Transaction, connectorId: string, jobId: string): Promise<number> {
  const [row] = await tx.query<{ known: number }>(
    `select count(*)::int as known from source_records
      where connector_id = $1 and status not in ${gone}
        and not (last_job_id = $2 and (previous is null or previous ->> 'status' in ${gone}))`,
    [connectorId, jobId],
  );
  return row?.known ?? 0;
}

/**
 * What the runs of the last day took away from a connector that is pushed to: its runs are as small as its pushes, and a day of
 * them is what a run is elsewhere. What an operator has released counts no more, nor does what came before it.
 */
export async function countRecentHarm(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
): Promise<{ deletions: number; disables: number }> {
  const [row] = await tx.query<{ deletions: number; disables: number }>(
    `with runs as (
       select p.deletions, p.disables, j.completed_at, j.decision ->> 'action' is not distinct from 'released' as released
         from connectors c
         join sync_plans p on p.connector_id = c.id and p.job_id <> $2 and (p.deletions > 0 or p.disables > 0)
         join sync_jobs j on j.id = p.job_id and not j.dry_run and j.mode <> 'record'
        where c.id = $1 and c.type = 'scim-push' and j.completed_at > now() - interval '24 hours'
          and j.status in ('completed', 'completed_with_errors'))
     select coalesce(sum(deletions), 0)::int as deletions, coalesce(sum(disables), 0)::int as disables from runs
      where completed_at > coalesce((select max(completed_at) from runs where released), '-infinity')`,
    [connectorId, id],
  );
  return row ?? { deletions: 0, disables: 0 };
}

/** The one change of a record `r` that is deleted. */
const statusGone = `jsonb_build_array(jsonb_build_object('field', 'status', 'from', r.status,
  'to', case r.kind when 'machine_identity' then 'decommissioned' else 'deleted' end))`;

/** Sequence number of what the sweep adds to a plan; the batches have the others. */
const sweepSeq = -1;

/**
 * Plans the deletion of every living record that no batch of the job named; returns how many. Records that were named by
 * an error are spared. EXCEPT reads the index on living records alone and hashes or sorts, whatever the planner believes
 * of the arrays; the lateral look-ups keep it from reading the whole table to show a few records.
 */
export async function planDeletions(
  tx: Transaction,
  tenantId: string,
  { id, connectorId }: { id: string; connectorId: string },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with missing as materialized (
       select id from source_records where connector_id = $3 and status not in ${gone}
       except
       select unnest(record_ids) from seen_records where job_id = $1),
     planned as (
       insert into sync_plan_entries (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, based_on)
       select $1, $2, ${sweepSeq}, 'delete', r.id, r.kind, r.external_id, r.identity_id, ${statusGone},
              r.updated_at
         from missing cross join lateral (select * from source_records where id = missing.id limit 1) r
        where not exists (select from sync_record_errors e where e.job_id = $1 and e.external_id = r.external_id)
        order by r.id
       returning 1)
     select count(*)::int as count from planned`,
    [id, tenantId, connectorId],
  );
  return row?.count ?? 0;
}

/** Plans the deletion of those of these records that live. */
export async function planRemoved(
  tx: Transaction,
  tenantId: string,
  { id, connectorId }: { id: string; connectorId: string },
  seq: number,
  externalIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into sync_plan_entries (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, based_on)
     select $1, $2, $4, 'delete', r.id, r.kind, r.external_id, r.identity_id, ${statusGone}, r.updated_at
       from unnest($5::text[]) as n (external_id)
      cross join lateral (select * from source_records
                           where connector_id = $3 and external_id = n.external_id limit 1) r
      where r.status not in ${gone}`,
    [id, tenantId, connectorId, seq, texts(externalIds)],
  );
}

/** Removals that stand in a plan. */
export async function countRemovals(tx: Transaction, jobId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from sync_plan_entries where job_id = $1 and action = 'delete' and incoming is null`,
    [jobId],
  );
  return row?.count ?? 0;
}

export async function dropRemovals(tx: Transaction, jobId: string): Promise<void> {
  await tx.query(`delete from sync_plan_entries where job_id = $1 and action = 'delete' and incoming is null`, [jobId]);
}

/** Takes these records out of a plan; returns those that were in it. */
export async function dropEntries(tx: Transaction, jobId: string, externalIds: readonly string[]): Promise<string[]> {
  if (externalIds.length === 0) return [];
  const rows = await tx.query<{ externalId: string }>(
    'delete from sync_plan_entries where job_id = $1 and external_id = any($2) returning external_id as "externalId"',
    [jobId, texts(externalIds)],
  );
  return [...new Set(rows.map(({ externalId }) => externalId))];
}

export async function addPlanEntries(
  tx: Transaction,
  tenantId: string,
  jobId: string,
  entries: readonly Omit<PlanEntry, 'id'>[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    `insert into sync_plan_entries
        (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, incoming, based_on)
     select $1, $2, * from unnest($3::integer[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::jsonb[],
        $10::text[], $11::timestamptz[])`,
    [
      jobId,
      tenantId,
      integers(entries.map((entry) => entry.seq)),
      texts(entries.map((entry) => entry.action)),
      uuids(entries.map((entry) => entry.recordId)),
      texts(entries.map((entry) => entry.kind)),
      texts(entries.map((entry) => entry.externalId)),
      uuids(entries.map((entry) => entry.identityId)),
      jsons(entries.map((entry) => JSON.stringify(entry.changes))),
      texts(entries.map((entry) => entry.incoming)),
      times(entries.map((entry) => entry.basedOn)),
    ],
  );
}

/** The next entries that are not carried out, in their order; the caller holds the lock of the plan. */
export async function findOpenEntries(tx: Transaction, jobId: string, limit: number): Promise<PlanEntry[]> {
  const rows = await tx.query<PlanEntry>(
    `select id, seq, action, record_id as "recordId", kind, external_id as "externalId", identity_id as "identityId",
            changes, incoming, based_on as "basedOn"
       from sync_plan_entries where job_id = $1 and not done order by id limit $2`,
    [jobId, limit],
  );
  return rows.map((row) => ({
    ...row,
    identityId: row.identityId ?? undefined,
    incoming: row.incoming ?? undefined,
    basedOn: row.basedOn ?? undefined,
  }));
}

/** What a source said of somebody is not kept longer than it takes to do it. */
export async function markEntriesDone(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query('update sync_plan_entries set done = true, incoming = null where id = any($1::bigint[])', [ids]);
}

export async function countDoneDeletions(tx: Transaction, jobId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from sync_plan_entries where job_id = $1 and action = 'delete' and done`,
    [jobId],
  );
  return row?.count ?? 0;
}

/** How often each action stands in a plan. */
export async function countEntries(tx: Transaction, jobId: string): Promise<Record<PlanEntry['action'], number>> {
  const rows = await tx.query<{ action: PlanEntry['action']; count: number }>(
    'select action, count(*)::int as count from sync_plan_entries where job_id = $1 group by action',
    [jobId],
  );
  const counts = { create: 0, update: 0, disable: 0, delete: 0 };
  for (const { action, count } of rows) counts[action] = count;
  return counts;
}

/** External ids of a plan, some of them, whose records are not as they were when it was made; locks all that are there. */
export async function findOutdatedEntries(tx: Transaction, jobId: string, connectorId: string): Promise<string[]> {
  await tx.query(
    `select from source_records where connector_id = $2 and external_id in (
       select external_id from sync_plan_entries where job_id = $1) order by id for update`,
    [jobId, connectorId],
  );
  const rows = await tx.query<{ externalId: string }>(
    `select e.external_id as "externalId" from sync_plan_entries e
       left join source_records r on r.connector_id = $2 and r.external_id = e.external_id
      where e.job_id = $1 and r.updated_at is distinct from e.based_on order by e.id limit 5`,
    [jobId, connectorId],
  );
  return rows.map(({ externalId }) => externalId);
}
