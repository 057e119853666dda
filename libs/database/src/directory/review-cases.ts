// SQL by hand: reads and writes in bulk.
import type { CaseStatus } from '@idsync/contracts';
import { arraysOf, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { ReviewCaseEntity } from '../entities/matching.entities.js';
import { selectList } from '../naming-strategy.js';
import { findRow } from '../rows.js';

export type { CaseCandidate } from '../entities/matching.entities.js';

const columns = ['id', 'recordId', 'kind', 'status', 'reason', 'candidates', 'openedAt'] as const;
export type ReviewCase = Pick<ReviewCaseEntity, (typeof columns)[number]>;

export interface CasesOfRecord {
  open?: ReviewCase;
  /** The newest one that an operator has decided. */
  decided?: ReviewCase;
}

/** Finds the cases of these records that are open or were decided last. */
export async function findCasesOf(tx: Transaction, recordIds: readonly string[]): Promise<Map<string, CasesOfRecord>> {
  const found = new Map<string, CasesOfRecord>();
  if (recordIds.length === 0) return found;
  const rows = await tx.query<ReviewCase>(
    `select distinct on (record_id, status = 'open') ${selectList(columns)} from review_cases
      where tenant_id = $1 and record_id = any($2) and status <> 'settled'
      order by record_id, status = 'open', id desc`,
    [tx.tenantId, recordIds],
  );
  for (const row of rows) {
    found.set(row.recordId, { ...found.get(row.recordId), [row.status === 'open' ? 'open' : 'decided']: row });
  }
  return found;
}

/** Opens cases, or updates the open ones. */
export async function saveCases(tx: Transaction, cases: readonly Omit<ReviewCase, 'status'>[]): Promise<void> {
  if (cases.length === 0) return;
  await tx.query(
    `insert into review_cases (tenant_id, id, record_id, kind, reason, candidates, opened_at)
     select $1, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
     on conflict (tenant_id, record_id) where status = 'open' do update
        set kind = excluded.kind, reason = excluded.reason, candidates = excluded.candidates`,
    [
      tx.tenantId,
      ...arraysOf(cases, {
        id: uuids,
        recordId: uuids,
        kind: texts,
        reason: texts,
        candidates: jsons,
        openedAt: times,
      }),
    ],
  );
}

/** Settles open cases that no longer need a decision. */
export async function settleCases(
  tx: Transaction,
  recordIds: readonly string[],
  kind: ReviewCase['kind'] | undefined,
  now: Date,
): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    `update review_cases set status = 'settled', closed_at = $3
      where tenant_id = $1 and record_id = any($2) and status = 'open' and ($4::text is null or kind = $4)`,
    [tx.tenantId, recordIds, now, kind ?? null],
  );
}

/** Removes an erased identity from the candidates of open cases, and settles those that have no other. */
export async function removeCandidate(tx: Transaction, identityId: string, now: Date): Promise<void> {
  await tx.query(
    `update review_cases c set candidates = left_over.candidates,
            status = case when left_over.candidates = '[]' then 'settled' else c.status end,
            closed_at = case when left_over.candidates = '[]' then $3::timestamptz end
       from review_cases o
      cross join lateral (
        select coalesce(jsonb_agg(each order by place) filter (where each ->> 'identity_id' <> $2), '[]') as candidates
          from jsonb_array_elements(o.candidates) with ordinality as e (each, place)) left_over
      where o.tenant_id = $1 and o.status = 'open' and c.tenant_id = $1 and c.id = o.id
        and o.candidates @> jsonb_build_array(jsonb_build_object('identity_id', $2::text))`,
    [tx.tenantId, identityId, now],
  );
}

export function lockCase(tx: Transaction, caseId: string): Promise<ReviewCase | undefined> {
  return findRow(tx, ReviewCaseEntity, {
    where: { tenantId: tx.tenantId, id: caseId },
    lock: { mode: 'pessimistic_write' },
  });
}

/** Closes a locked case by an operator's decision. */
export async function closeCase(
  tx: Transaction,
  caseId: string,
  status: Exclude<CaseStatus, 'open'>,
  operationId: string,
  now: Date,
): Promise<void> {
  const { tenantId } = tx;
  await tx.manager.update(ReviewCaseEntity, { tenantId, id: caseId }, { status, operationId, closedAt: now });
}

/**
 * Opens a case again when its decision is reverted. A record has one open case: one that has followed since is settled, and
 * its candidates are those of today. Returns the record, or undefined if the case is deleted.
 */
export async function reopenCase(
  tx: Transaction,
  caseId: string,
  operationId: string,
  now: Date,
): Promise<string | undefined> {
  const { tenantId } = tx;
  const closed = await lockCase(tx, caseId);
  if (!closed) return undefined;
  const where = { tenantId, recordId: closed.recordId, status: 'open' as const };
  const newer: ReviewCase | undefined = await findRow(tx, ReviewCaseEntity, {
    where,
    lock: { mode: 'pessimistic_write' },
  });
  if (newer)
    await tx.manager.update(ReviewCaseEntity, { tenantId, id: newer.id }, { status: 'settled', closedAt: now });
  const { kind, reason, candidates } = newer ?? closed;
  const open = { status: 'open' as const, operationId, closedAt: null };
  await tx.manager.update(ReviewCaseEntity, { tenantId, id: caseId }, { ...open, kind, reason, candidates });
  return closed.recordId;
}
