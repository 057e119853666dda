// SQL by hand: counts by group, and a size-limited page.
import type { Transaction } from '../database.js';
import { type PlanAction, SyncPlanEntity, type SyncPlanEntryEntity } from '../entities/sweep.entities.js';
import { selectList } from '../naming-strategy.js';
import { findRow } from '../rows.js';
import { isWithinPage, type Page } from './page.js';

const shown = ['action', 'recordId', 'kind', 'externalId', 'identityId', 'changes', 'done'] as const;
export type PlanEntryRow = Pick<SyncPlanEntryEntity, (typeof shown)[number]>;

export interface JobPlan {
  /** Absent if the job planned nothing in addition to its batches. */
  plan?: SyncPlanEntity;
  counts: Partial<Record<PlanAction, number>>;
  entries: PlanEntryRow[];
}

/** Reads a page of a job's plan, in the order in which its entries are applied. */
export async function findJobPlan(tx: Transaction, tenantId: string, jobId: string, page: Page): Promise<JobPlan> {
  const plan = await findRow(tx, SyncPlanEntity, { where: { tenantId, jobId } });
  const counts = await tx.query<{ action: PlanAction; count: number }>(
    'select action, count(*)::int as count from sync_plan_entries where tenant_id = $1 and job_id = $2 group by action',
    [tenantId, jobId],
  );
  const entries = await tx.query<PlanEntryRow>(
    `select ${selectList(shown)}
       from (select *, ${isWithinPage('octet_length(changes::text)', 'id')} as fits
               from (select * from sync_plan_entries
                      where tenant_id = $1 and job_id = $2 order by id limit $3 offset $4) as page) as page
      where fits order by id`,
    [tenantId, jobId, page.limit, page.offset],
  );
  return { plan, counts: Object.fromEntries(counts.map(({ action, count }) => [action, count])), entries };
}
