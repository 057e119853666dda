// SQL by hand: counts and joins of the entries of a plan.
import type { FieldChange, MatchingKey, PlanAction } from '@idsync/contracts';
import { arraysOf, bigints, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/**
 * Stand in `changed_fields` for a return to `active`, for an id of another person, and for a change by which a person
 * loses access although its record is not disabled, or gets it again although its record is not enabled. No fields have
 * these names.
 */
export const planMarks = { enabled: 'enabled', reused: 'reused', losing: 'losing', gaining: 'gaining' } as const;

export const noMarks: Record<keyof typeof planMarks, number> = { enabled: 0, reused: 0, losing: 0, gaining: 0 };

/** Counts the planned changes with each mark; `losing` only those that still take access. */
export async function countMarks(tx: Transaction, jobId: string): Promise<Record<keyof typeof planMarks, number>> {
  return (
    (await tx.row<Record<keyof typeof planMarks, number>>(
      `select count(*) filter (where $2 = any(changed_fields))::int as enabled,
            count(*) filter (where $3 = any(changed_fields))::int as reused,
            count(*) filter (where $4 = any(changed_fields) and action = 'disable')::int as losing,
            count(*) filter (where $5 = any(changed_fields))::int as gaining
       from sync_plan_entries where tenant_id = $6 and job_id = $1`,
      [jobId, planMarks.enabled, planMarks.reused, planMarks.losing, planMarks.gaining, tx.tenantId],
    )) ?? noMarks
  );
}

/** Counts of the additions and changes of a plan that the safeguard bounds. */
export interface Additions {
  created: number;
  /** `cleared`: those that have no value left. */
  changed: { field: string; count: number; cleared: number }[];
  /** Records to be created that share a match key with a record that they may replace, by kind of the key. */
  rekeyed: { field: MatchingKey; count: number }[];
}

/**
 * The planned deletions `d` of the identity that a planned creation `c` resembles: one index lookup for each creation,
 * whatever the planner estimates. Without a limit, because an ordered scan of the plan would seem cheaper for one.
 */
const resembled = (tenant: string) => `(select id, record_id from sync_plan_entries
   where tenant_id = ${tenant} and job_id = $1 and identity_id = c.resembles_id and action = 'delete' and incoming is null
  offset 0) d`;

/**
 * Counts what a plan adds. A record replaces one that the run deletes. `addresses`: match keys by which it may also
 * replace one that its source no longer lists, of a run that cannot know this.
 */
export async function countAdditions(
  tx: Transaction,
  { id: jobId, connectorId }: { id: string; connectorId: string },
  addresses: readonly string[] = [],
): Promise<Additions> {
  const [row] = await tx.query<{ created: number }>(
    `select count(*)::int as created from sync_plan_entries where tenant_id = $2 and job_id = $1 and action = 'create'`,
    [jobId, tx.tenantId],
  );
  const changed = await tx.query<Additions['changed'][number]>(
    `select field, count(*)::int as count,
            (count(*) filter (where jsonb_path_exists(
              changes, '$[*] ? (@.field == $f && exists(@.from) && !exists(@.to))', jsonb_build_object('f', field))))::int as cleared
       from sync_plan_entries, unnest(changed_fields) as field
      where tenant_id = $3 and job_id = $1 and field <> all($2) group by field order by count(*) desc, field`,
    [jobId, texts(Object.values(planMarks)), tx.tenantId],
  );
  const rekeyed = await tx.query<{ field: MatchingKey; count: number }>(
    `select c.resembles_by as field, count(*)::int as count from sync_plan_entries c
      where c.tenant_id = $4 and c.job_id = $1 and c.based_on is null and c.resembles_id is not null
        and (exists (select from ${resembled('$4')})
             or (c.resembles_by = any($2) and exists (
                   select from source_records r
                    where r.tenant_id = $4 and r.identity_id = c.resembles_id and r.connector_id = $3
                      and r.kind = 'user' and r.status <> 'deleted' offset 0)))
      group by 1 order by 2 desc, 1`,
    [jobId, texts(addresses), connectorId, tx.tenantId],
  );
  return { created: row?.created ?? 0, changed, rekeyed };
}

/** A record to be created, and a record to be deleted whose identity has the same permanent key. */
export interface ReplacedAnchor {
  createId: number;
  deleteId: number;
  recordId: string;
  seq: number;
  incoming: string;
}

/** Returns the first and last id of a plan's entries, or undefined if it is empty. */
export async function findEntryRange(
  tx: Transaction,
  jobId: string,
): Promise<{ first: number; last: number } | undefined> {
  const [range] = await tx.query<{ first: number | null; last: number | null }>(
    'select min(id) as first, max(id) as last from sync_plan_entries where tenant_id = $1 and job_id = $2',
    [tx.tenantId, jobId],
  );
  if (!range || range.first === null || range.last === null) return undefined;
  return { first: Number(range.first), last: Number(range.last) };
}

/**
 * Returns the replaced anchors among the entries with ids from `first` and before `beyond`. A range instead of a limit,
 * because without statistics a limited page may read and sort the rest of the plan.
 */
export async function findReplacedAnchors(
  tx: Transaction,
  jobId: string,
  { first, beyond, kinds }: { first: number; beyond: number; kinds: readonly string[] },
): Promise<ReplacedAnchor[]> {
  return tx.query<ReplacedAnchor>(
    `select c.id as "createId", c.seq, c.incoming, d.id as "deleteId", d.record_id as "recordId"
       from sync_plan_entries c cross join lateral ${resembled('$5')}
      where c.tenant_id = $5 and c.job_id = $1 and c.id >= $2 and c.id < $3 and c.based_on is null and c.resembles_by = any($4)
      order by c.id, d.id`,
    [jobId, first, beyond, texts(kinds), tx.tenantId],
  );
}

export interface MovedAnchor {
  createId: number;
  deleteId: number;
  recordId: string;
  action: PlanAction;
  identityId?: string;
  movedFrom: string;
  basedOn: Date;
  changes: readonly FieldChange[];
  changedFields: readonly string[];
}

/** Makes creations changes, which give the new external id to the stored record. The caller deletes the deletions. */
export async function saveMovedAnchors(tx: Transaction, jobId: string, moved: readonly MovedAnchor[]): Promise<void> {
  if (moved.length === 0) return;
  const createIds = moved.map(({ createId }) => createId);
  await tx.query(
    `update sync_plan_entries e
        set action = n.action, record_id = n.record_id, identity_id = n.identity_id, moved_from = n.moved_from,
            based_on = n.based_on, changes = n.changes, resembles_id = null, resembles_by = null,
            changed_fields = array(select jsonb_array_elements_text(n.changed_fields))
       from unnest($2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::jsonb[], $8::jsonb[], $9::text[])
         as n (id, record_id, identity_id, moved_from, based_on, changes, changed_fields, action)
      where e.tenant_id = $10 and e.job_id = $1 and e.id = n.id and e.id between $11 and $12`,
    [
      jobId,
      ...arraysOf(moved, {
        createId: bigints,
        recordId: uuids,
        identityId: uuids,
        movedFrom: texts,
        basedOn: times,
        changes: jsons,
        changedFields: jsons,
        action: texts,
      }),
      tx.tenantId,
      Math.min(...createIds),
      Math.max(...createIds),
    ],
  );
}
