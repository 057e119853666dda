import type { CaseStatus } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface CaseCandidate {
  identity_id: string;
  /** 1 for a certain key. */
  score: number;
  /** What agrees, for people to read. */
  evidence: string[];
}

export interface ReviewCase {
  id: string;
  recordId: string;
  kind: 'contested' | 'weak';
  status: CaseStatus;
  reason: string;
  candidates: CaseCandidate[];
  openedAt: Date;
}

const columns = 'id, record_id as "recordId", kind, status, reason, candidates, opened_at as "openedAt"';

/** The newest case of each of these records. */
export async function findNewestCases(tx: Transaction, recordIds: readonly string[]): Promise<Map<string, ReviewCase>> {
  if (recordIds.length === 0) return new Map();
  const rows = await tx.query<ReviewCase>(
    `select distinct on (record_id) ${columns} from review_cases where record_id = any($1) order by record_id, id desc`,
    [recordIds],
  );
  return new Map(rows.map((row) => [row.recordId, row]));
}

/** Opens cases, or brings the open ones up to date. */
export async function saveCases(
  tx: Transaction,
  tenantId: string,
  cases: readonly Omit<ReviewCase, 'status'>[],
): Promise<void> {
  if (cases.length === 0) return;
  await tx.query(
    `insert into review_cases (tenant_id, id, record_id, kind, reason, candidates, opened_at)
     select $1, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
     on conflict (record_id) where status = 'open' do update
        set kind = excluded.kind, reason = excluded.reason, candidates = excluded.candidates`,
    [
      tenantId,
      cases.map((each) => each.id),
      cases.map((each) => each.recordId),
      cases.map((each) => each.kind),
      cases.map((each) => each.reason),
      cases.map((each) => JSON.stringify(each.candidates)),
      cases.map((each) => each.openedAt),
    ],
  );
}

/** Closes open cases about which there is nothing left to ask. */
export async function settleCases(
  tx: Transaction,
  recordIds: readonly string[],
  kind: ReviewCase['kind'] | undefined,
  now: Date,
): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    `update review_cases set status = 'settled', closed_at = $2
      where record_id = any($1) and status = 'open' and ($3::text is null or kind = $3)`,
    [recordIds, now, kind ?? null],
  );
}

export async function lockCase(tx: Transaction, tenantId: string, caseId: string): Promise<ReviewCase | undefined> {
  const [row] = await tx.query<ReviewCase>(
    `select ${columns} from review_cases where tenant_id = $1 and id = $2 for update`,
    [tenantId, caseId],
  );
  return row;
}

/** An operator's word on a locked case, or the taking back of it. */
export async function closeCase(
  tx: Transaction,
  caseId: string,
  status: CaseStatus,
  operationId: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update review_cases set status = $2, operation_id = $3, closed_at = case when $2 = 'open' then null else $4::timestamptz end
      where id = $1`,
    [caseId, status, operationId, now],
  );
}
