import type { FieldChange, RecordKind } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { Page } from './page.js';

type PlanAction = 'create' | 'update' | 'disable' | 'delete';

interface PlanRow {
  state: string;
  known: number | null;
  note: string | null;
}

export interface PlanEntryRow {
  action: PlanAction;
  recordId: string;
  kind: RecordKind;
  externalId: string;
  identityId: string | null;
  changes: FieldChange[];
  done: boolean;
}

export interface JobPlan {
  /** Absent: the job wanted nothing beyond its batches. */
  plan?: PlanRow;
  counts: Partial<Record<PlanAction, number>>;
  entries: PlanEntryRow[];
}

/** What a job wants to do beyond its batches, or has done, a page of it in the order it is done. */
export async function findJobPlan(tx: Transaction, tenantId: string, jobId: string, page: Page): Promise<JobPlan> {
  const [plan] = await tx.query<PlanRow>(
    'select state, known, note from sync_plans where tenant_id = $1 and job_id = $2',
    [tenantId, jobId],
  );
  const counts = await tx.query<{ action: PlanAction; count: number }>(
    'select action, count(*)::int as count from sync_plan_entries where tenant_id = $1 and job_id = $2 group by action',
    [tenantId, jobId],
  );
  const entries = await tx.query<PlanEntryRow>(
    `select action, record_id as "recordId", kind, external_id as "externalId", identity_id as "identityId", changes, done
       from sync_plan_entries where tenant_id = $1 and job_id = $2 order by id limit $3 offset $4`,
    [tenantId, jobId, page.limit, page.offset],
  );
  return { plan, counts: Object.fromEntries(counts.map(({ action, count }) => [action, count])), entries };
}
