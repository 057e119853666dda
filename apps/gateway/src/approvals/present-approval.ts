import { adminRoutes, encodeId, type responses } from '@idsync/contracts';
import type { ApprovalRow } from '@idsync/database/gateway';

export function presentApproval(row: ApprovalRow): responses.Approval {
  return {
    approval_id: encodeId('approval', row.id),
    status: row.status,
    action: row.action,
    role: adminRoutes[row.action].role,
    resource: row.resource ?? undefined,
    request: row.input,
    reason: row.reason ?? undefined,
    requested_by: row.requestedBy.name,
    requested_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ...(row.decidedBy &&
      row.decidedAt && {
        decision: {
          by: row.decidedBy.name,
          at: row.decidedAt.toISOString(),
          reason: row.decisionReason ?? undefined,
        },
      }),
    operation_id: row.operationId === null ? undefined : encodeId('operation', row.operationId),
  };
}
