// SQL by hand: counts by group, and a size-limited page.
import type { PlanAction, QuarantineReason } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { SyncPlanEntity, type SyncPlanEntryEntity } from '../../entities/sweep.entities.js';
import { selectList } from '../../naming-strategy.js';
import { findRow } from '../../rows.js';
import { isWithinPage, type Page } from '../page.js';

const shown = ['action', 'recordId', 'kind', 'externalId', 'identityId', 'changes', 'basedOn', 'done'] as const;
export type PlanEntryRow = Pick<SyncPlanEntryEntity, (typeof shown)[number]>;

export interface JobPlan {
  /** Absent if the job planned nothing in addition to its batches. */
  plan?: SyncPlanEntity;
  counts: Partial<Record<PlanAction, number>>;
  /** Number of entries that match the filter. */
  total: number;
  entries: PlanEntryRow[];
  /** Examples of each reason for the quarantine, in the order of the plan's reasons. */
  examples: string[][];
}

export interface PlanFilter {
  action?: PlanAction;
  /** Part of the external id. */
  externalId?: string;
}

/** Condition of a filter, with its values as $3 and $4. */
const matches = `($3::text is null or action = $3)
  and ($4::text is null or position(lower($4) in lower(external_id)) > 0)`;

/** Reads a page of a job's plan, in the order in which its entries are applied. A filter examines the whole plan. */
export async function findJobPlan(
  tx: Transaction,
  jobId: string,
  page: Page,
  { action, externalId }: PlanFilter = {},
): Promise<JobPlan> {
  const { tenantId } = tx;
  const plan = await findRow(tx, SyncPlanEntity, { where: { tenantId, jobId } });
  const counts = await tx.query<{ action: PlanAction; count: number }>(
    'select action, count(*)::int as count from sync_plan_entries where tenant_id = $1 and job_id = $2 group by action',
    [tenantId, jobId],
  );
  const entries = await tx.query<PlanEntryRow>(
    `select ${selectList(shown)}
       from (select *, ${isWithinPage('octet_length(changes::text)', 'id')} as fits
               from (select * from sync_plan_entries
                      where tenant_id = $1 and job_id = $2 and ${matches}
                      order by id limit $5 offset $6) as page) as page
      where fits order by id`,
    [tenantId, jobId, action ?? null, externalId ?? null, page.limit, page.offset],
  );
  const examples: string[][] = [];
  for (const reason of plan?.reasons ?? []) examples.push(await findExamples(tx, jobId, reason));
  const byAction = Object.fromEntries(counts.map(({ action, count }) => [action, count]));
  const total =
    externalId === undefined ? countOf(byAction, action) : await countMatching(tx, jobId, { action, externalId });
  return { plan, counts: byAction, total, entries, examples };
}

function countOf(counts: JobPlan['counts'], action: PlanAction | undefined): number {
  if (action !== undefined) return counts[action] ?? 0;
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function countMatching(tx: Transaction, jobId: string, { action, externalId }: PlanFilter): Promise<number> {
  return tx.count(
    `select count(*)::int as count from sync_plan_entries where tenant_id = $1 and job_id = $2 and ${matches}`,
    [tx.tenantId, jobId, action ?? null, externalId ?? null],
  );
}

/** Deletions take access as well. */
const actionsOf: Record<string, PlanAction[]> = {
  created: ['create'],
  deleted: ['delete'],
  disabled: ['disable', 'delete'],
};

/** Returns up to five external ids behind a reason; for replaced ids, the old and the new one. */
async function findExamples(tx: Transaction, jobId: string, { rule, field }: QuarantineReason): Promise<string[]> {
  if (rule === 'rekeyed') return findReplacedIds(tx, jobId, field);
  const actions = actionsOf[rule];
  // The directory marks returns to active and ids of other people in the same column.
  const marks = { enabled: ['enabled', 'gaining'], reused: ['reused'] }[rule] ?? (field && [field]);
  if (actions === undefined && marks === undefined) return [];
  const rows = await tx.query<{ example: string }>(
    `select external_id as example from sync_plan_entries
      where tenant_id = $1 and job_id = $2 and ($3::text[] is null or action = any($3))
        and ($4::text[] is null or $4 && changed_fields)
      order by array_position($3, action), id limit 5`,
    [tx.tenantId, jobId, actions ?? null, marks ?? null],
  );
  return rows.map(({ example }) => example);
}

/** Of a run that lists only some records, the old id is that of a record that is not deleted. */
async function findReplacedIds(tx: Transaction, jobId: string, by = ''): Promise<string[]> {
  const rows = await tx.query<{ example: string }>(
    `select d.external_id || ' → ' || c.external_id as example
       from sync_plan_entries c
      cross join lateral (select coalesce(
        (select external_id from sync_plan_entries
          where tenant_id = $1 and job_id = $2 and identity_id = c.resembles_id and action = 'delete' limit 1),
        (select r.external_id from source_records r join sync_plans p using (tenant_id, connector_id)
          where tenant_id = $1 and p.job_id = $2 and r.identity_id = c.resembles_id and r.kind = 'user'
            and r.status <> 'deleted' limit 1)) as external_id) d
      where c.tenant_id = $1 and c.job_id = $2 and c.resembles_by = $3 and d.external_id is not null order by c.id limit 5`,
    [tx.tenantId, jobId, by],
  );
  return rows.map(({ example }) => example);
}
