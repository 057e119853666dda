// SQL by hand: comparisons of JSON, and a status that depends on the time.
import { type ApprovalStatus, newUuid } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { ApprovalEntity } from '../../entities/approval.entities.js';
import { selectList } from '../../naming-strategy.js';
import type { Page, Rows } from '../page.js';

export interface ApprovalRow extends Omit<ApprovalEntity, 'status'> {
  status: ApprovalStatus;
}

export type RequestedApproval = Pick<
  ApprovalRow,
  'action' | 'resource' | 'input' | 'basis' | 'reason' | 'requestedBy'
> & { hours: number };

export type Decision = Pick<ApprovalRow, 'decidedBy' | 'decisionReason' | 'operationId'> & {
  status: 'approved' | 'rejected';
};

const columns = selectList([
  'id',
  'tenantId',
  'action',
  'resource',
  'input',
  'basis',
  'reason',
  'requestedBy',
  'createdAt',
  'expiresAt',
  'decidedBy',
  'decidedAt',
  'decisionReason',
  'operationId',
]);
const status = `case when status = 'pending' and expires_at <= now() then 'expired' else status end`;
const shown = `${columns}, ${status} as status`;

/** Returns undefined if the maximum number of approvals is pending. An equal pending request is returned instead. */
export async function requestApproval(
  tx: Transaction,
  { hours, ...given }: RequestedApproval,
  maxPending: number,
): Promise<ApprovalRow | undefined> {
  const [equal] = await tx.query<ApprovalRow>(
    `select ${shown} from approvals
      where tenant_id = $1 and status = 'pending' and expires_at > now() and action = $2
        and resource is not distinct from $3 and input = $4 and basis is not distinct from $5::jsonb
        and requested_by ->> 'name' = $6
      order by id limit 1`,
    [tx.tenantId, given.action, given.resource, json(given.input), json(given.basis), given.requestedBy.name],
  );
  if (equal) return equal;
  return tx.row<ApprovalRow>(
    `insert into approvals (id, tenant_id, action, resource, input, basis, reason, requested_by, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(hours => $9)
      where (select count(*) from approvals where tenant_id = $2 and status = 'pending' and expires_at > now()) < $10
     returning ${shown}`,
    [
      newUuid(),
      tx.tenantId,
      given.action,
      given.resource,
      json(given.input),
      json(given.basis),
      given.reason,
      json(given.requestedBy),
      hours,
      maxPending,
    ],
  );
}

/** Lists approvals, the newest first. */
export async function listApprovals(tx: Transaction, page: Page, wanted?: ApprovalStatus): Promise<Rows<ApprovalRow>> {
  const which = `from approvals where tenant_id = $1 and ($2::text is null or ${status} = $2)`;
  const rows = await tx.query<ApprovalRow>(`select ${shown} ${which} order by id desc limit $3 offset $4`, [
    tx.tenantId,
    wanted ?? null,
    page.limit,
    page.offset,
  ]);
  return { rows, total: await tx.count(`select count(*) ${which}`, [tx.tenantId, wanted ?? null]) };
}

export function findApproval(tx: Transaction, id: string): Promise<ApprovalRow | undefined> {
  return one(tx, id, '');
}

/** Locks the approval until the end of the transaction, so that one decision is made. */
export function lockApproval(tx: Transaction, id: string): Promise<ApprovalRow | undefined> {
  return one(tx, id, 'for no key update');
}

export async function decideApproval(tx: Transaction, id: string, decision: Decision): Promise<void> {
  await tx.manager.update(ApprovalEntity, { tenantId: tx.tenantId, id }, {
    ...decision,
    decidedAt: () => 'now()',
  } as object);
}

/** Marks a pending approval whose act is no longer the one that was requested. */
export async function markStale(tx: Transaction, id: string): Promise<void> {
  await tx.manager.update(ApprovalEntity, { tenantId: tx.tenantId, id, status: 'pending' }, { status: 'stale' });
}

/** Compares as PostgreSQL stores it, because `jsonb` sorts the keys of objects. */
export async function hasBasis(tx: Transaction, { id, tenantId }: ApprovalRow, basis: unknown): Promise<boolean> {
  const [row] = await tx.query<{ same: boolean }>(
    'select basis is not distinct from $3::jsonb as same from approvals where tenant_id = $1 and id = $2',
    [tenantId, id, json(basis)],
  );
  return row?.same === true;
}

async function one(tx: Transaction, id: string, lock: string): Promise<ApprovalRow | undefined> {
  return tx.row<ApprovalRow>(`select ${shown} from approvals where tenant_id = $1 and id = $2 ${lock}`, [
    tx.tenantId,
    id,
  ]);
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
